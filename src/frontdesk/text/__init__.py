"""Words that people type and read: due dates, names, relative times, the questions of forms. Pure."""
