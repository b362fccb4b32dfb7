"""The whole platform as a service on this machine: routes, its own store, campaigns that run, a crowd."""
