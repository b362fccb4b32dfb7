"""Tests of the contract: what `interface.md` says, written down here a second time."""
