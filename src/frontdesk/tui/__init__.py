"""The kit of all screens: the base screen, panes, widgets and dialogs that know no feature.

Screens read the store and hand it what a person does; nothing here knows the network.
"""
