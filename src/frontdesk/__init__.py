"""frontdesk: a terminal inbox for a business messaging platform."""

__version__ = "0.1.0"
