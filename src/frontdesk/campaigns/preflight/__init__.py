"""What would keep a campaign from running, found before it is sent; pure."""
