"""Lists of recipients from CSV and Excel files; `subprocess_reader` reads them for a screen, under limits."""
