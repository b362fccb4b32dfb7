"""Executes workflows node by node: pure, without storage, network or a clock.

The sandbox runs its customers through it, and a dry run shows what it would do. It knows nothing above the
contract.
"""
