"""`frontdesk web`: the inbox in browser tabs on this machine; each tab is a terminal with a frontdesk in it."""
