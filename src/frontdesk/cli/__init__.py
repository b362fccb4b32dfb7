"""The kit of the command line: options, output, errors, start-up. Called by `app` and the features' `cli`.

Names, exit statuses and the environment are an interface: scripts lean on them.
"""
