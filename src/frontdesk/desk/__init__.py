"""What a person does, without a screen: changes and undo, catalogues, due words.

The screens and the command line ask `Desk`; it writes to the store and never to the network.
"""
