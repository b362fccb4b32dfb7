"""Fixtures of the sandbox and the engine for the screens' stories."""

from sandbox.conftest import make_sandbox, sandbox, seeded
from sync.conftest import works

__all__ = ["make_sandbox", "sandbox", "seeded", "works"]
