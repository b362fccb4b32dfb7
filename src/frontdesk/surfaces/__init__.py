"""The linear mode over all features."""
