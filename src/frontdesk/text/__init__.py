"""Text for display: sanitizing, bidirectional layout, cell widths, relative times. Pure."""
