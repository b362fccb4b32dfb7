"""The sandbox and the relay's server as child processes, for `frontdesk demo`."""
