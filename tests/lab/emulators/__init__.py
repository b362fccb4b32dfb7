"""What emulators have in each cell after the program wrote to them."""
