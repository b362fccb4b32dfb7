"""What a builder reads, tries and sends of a workflow; pure.

Nothing here waits, asks the network or writes. A document may be megabytes: a screen has it read on a thread.
"""
