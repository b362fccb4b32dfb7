"""What a builder reads, tries and sends of a workflow; pure.

The screens and the command line call it; it waits for nobody, asks no network and knows no SQL.
"""
