"""The kit that all screens are made of, which knows no feature and no network."""
