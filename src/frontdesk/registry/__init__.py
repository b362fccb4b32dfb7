"""What the features register: actions, kinds of changes and names; each surface reads it."""
