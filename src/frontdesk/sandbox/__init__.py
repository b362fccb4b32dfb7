"""The whole platform as a service on this machine: routes, its own store, campaigns that run, a crowd.

Started by the command line alone (`service.run`); knows `frontdesk.api.contract` and `workflow_runtime`, nothing
else of ours.
"""
