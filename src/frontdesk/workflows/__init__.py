"""What a builder reads, tries and sends of a workflow.

Pure: nothing here waits, asks the platform, reads the store or draws.
"""
