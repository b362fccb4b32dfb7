"""Executes workflows node by node: pure, without storage, network or a clock."""
