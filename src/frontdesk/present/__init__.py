"""Records to rows and words, pure: what the screens and the command line's tables show.

Everything here turns frozen records into `Line`s of `Shown` text with a role; the screens give
each role a colour. Nothing here knows a terminal library.
"""
