"""Executes workflows node by node: pure, without storage, network or clock of its own.

The sandbox runs real customers through it, and a dry run shows what it would do: one engine for
both (field-notes.md, Workflow runtime). It knows nothing above the contract.
"""
