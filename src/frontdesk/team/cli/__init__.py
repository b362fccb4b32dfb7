"""`frontdesk team` and `frontdesk journal`."""
