"""`frontdesk` as one would type it, in this process: its own start costs more than most tests."""

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from frontdesk.cli.main import run
from frontdesk.config.settings import data_dir, load_config, resolve_profile
from frontdesk.storage.database import Store
from new_store import open_store


@dataclass(frozen=True)
class Typed:
    """What a command printed and its status."""

    status: int
    out: str
    err: str

    @property
    def rows(self) -> list[Any]:
        """The output as JSON Lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def row(self) -> Any:
        (row,) = self.rows
        return row


class Frontdesk:
    """Call it with the words of a command line."""

    def __init__(
        self, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        self.environ = environ
        self._monkeypatch = monkeypatch
        self._capfd = capfd

    def __call__(self, *words: str, stdin: str = "", **environ: str) -> Typed:
        with self._environment(environ) as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            self._capfd.readouterr()
            try:
                status = run(words)
            except SystemExit as ended:  # as what answers a shell's completion ends
                status = ended.code
                sys.stdout.flush()
            out, err = self._capfd.readouterr()
        assert "Traceback" not in out + err
        return Typed(status, out, err)

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The store of the profile that the commands use."""
        with self._environment({}):
            folder = data_dir(resolve_profile(load_config(), os.environ))
        with open_store(folder) as opened:
            yield opened

    @contextmanager
    def _environment(self, more: dict[str, str]) -> Iterator[pytest.MonkeyPatch]:
        with self._monkeypatch.context() as patch:
            for name in set(os.environ) - set(self.environ):
                patch.delenv(name)
            for name, value in (self.environ | more).items():
                patch.setenv(name, value)
            yield patch

    def fails(self, status: int, *words: str, **options: str) -> str:
        """The one line on standard error of a command that ends with this status."""
        typed = self(*words, **options)
        assert typed.status == status, typed
        assert typed.err.startswith("frontdesk: ")
        assert typed.err.count("\n") == 1
        return typed.err.removeprefix("frontdesk: ").strip()
