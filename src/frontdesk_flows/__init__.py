"""Workflows: run node by node, checked, compared, merged and laid out; without storage, network or a clock."""
