"""Parts of screens that know the store: each shows one thing and answers by messages with ids.

Panes never import each other; the screen that holds them passes ids between them.
"""
