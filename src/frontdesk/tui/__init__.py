"""What a person sees: the app, a screen a file, panes, widgets that know nothing of tasks, dialogs.

Screens read the store through `Desk` and hand it what a person does; nothing here knows the network.
"""
