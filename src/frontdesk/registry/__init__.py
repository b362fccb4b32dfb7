"""What the features register, and what joins two of them; every surface and the engine use it."""
