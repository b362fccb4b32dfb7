"""Lines of styled text for a terminal: cells, right-to-left order, signs, and outside text made safe to show."""
