"""Text for display: sanitising, bidirectional layout, cell widths, relative times. Pure."""
