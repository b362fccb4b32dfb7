"""Fills a fresh data folder with the business: believable, and the same for the same seed.

Called by `world.open_world` once a data folder, inside one transaction.
"""

from frontdesk.sandbox.seeding.everything import seed

__all__ = ["seed"]
