"""What Python compiles anew in every run, kept from the run before; `beginning` takes it up and puts it down.

A module is compiled once and kept as bytecode. What it compiles while it is imported is not: the regular
expressions, and the methods of dataclasses and named tuples, which the standard library writes as text. Textual,
Rich and frontdesk hold five hundred of them, a fifth of a start. They are kept in a file of the cache folder,
under the very text they were made from, so that none can be out of date; without the file all is as slow as ever.

Only a file of this user's that nobody else may write is read, as what is in it is run.
"""

import collections
import contextlib
import dataclasses
import marshal
import os
import stat
import sys
from binascii import crc32
from pathlib import Path
from threading import Thread
from types import CodeType
from typing import Any

from frontdesk import frozen
from frontdesk.folders import replace_file

MAKES = f"frontdesk 1 {sys.version}"
"""Who can read a file: bytecode and the codes of expressions differ between interpreters."""

MOST = 4000
"""So many things are kept at most; beyond that only what this run needed."""

_CHECK_BYTES = 4


class Compiled:
    """What was compiled by earlier runs, used in place of compiling while it is taken up.

    Args:
        path: the file; it need not be there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[Any, Any] = _read(path)
        self._used: set[Any] = set()
        self._is_new = False
        self._put_back: list[Any] = []

    def take_up(self) -> None:
        """From here on the standard library asks here before it compiles."""
        self._stand_in(vars(dataclasses), "exec", self._exec)
        self._stand_in(vars(collections), "eval", self._eval)
        self._stand_in(vars(frozen), "exec", self._exec)
        with contextlib.suppress(ImportError):  # inner modules, as Python 3.11 to 3.14 have them
            self._take_expressions_up()

    def put_down(self) -> None:
        """The standard library is as it was; what had to be compiled is written, beside what goes on."""
        while self._put_back:
            self._put_back.pop()()
        if self._is_new:
            self._is_new = False
            Thread(target=self._write, name="compiled").start()

    def _stand_in(self, names: dict[str, Any], name: str, does: object) -> None:
        """Let a module find this under a name, until all is put down."""
        if name in names:
            before = names[name]
            self._put_back.append(lambda: names.update({name: before}))
        else:
            self._put_back.append(lambda: names.pop(name, None))  # a builtin is seen again
        names[name] = does

    def _exec(self, text: str, *spaces: Any) -> None:
        exec(self._code(text, "exec"), *spaces)

    def _eval(self, text: str, *spaces: Any) -> object:
        return eval(self._code(text, "eval"), *spaces)

    def _code(self, text: str, mode: str) -> CodeType:
        key = (mode, text)
        code: CodeType | None = self._kept.get(key)
        if code is None:
            code = self._keep(key, compile(text, "<string>", mode, dont_inherit=True))
        self._used.add(key)
        return code

    def _take_expressions_up(self) -> None:
        import _sre  # type: ignore[import-not-found]
        from re import _compiler, _parser  # type: ignore[attr-defined]

        compiles = _compiler.compile

        def compiled(expression: Any, flags: int = 0) -> object:
            """What `re._compiler.compile` does, but for the codes that are known."""
            if type(expression) not in (str, bytes) or flags & (
                _compiler.SRE_FLAG_DEBUG | _compiler.SRE_FLAG_LOCALE
            ):
                return compiles(expression, flags)
            key = (type(expression).__name__, expression, flags)
            if (found := self._kept.get(key)) is None:
                parsed = _parser.parse(expression, flags)
                state = parsed.state
                names: list[str | None] = [None] * state.groups
                for name, place in state.groupdict.items():
                    names[place] = name
                codes = list(map(int, _compiler._code(parsed, flags)))
                made = (int(flags | state.flags), codes, state.groups - 1, dict(state.groupdict), tuple(names))
                found = self._keep(key, made)
            self._used.add(key)
            return _sre.compile(expression, *found)

        self._stand_in(vars(_compiler), "compile", compiled)

    def _keep(self, key: Any, made: Any) -> Any:
        self._kept[key] = made
        self._is_new = True
        return made

    def _write(self) -> None:
        kept = dict(self._kept)
        if len(kept) > MOST:
            kept = {key: made for key, made in kept.items() if key in self._used}
        body = marshal.dumps((MAKES, kept))
        with contextlib.suppress(OSError):  # a home that can't be written, or is full
            replace_file(self._path, crc32(body).to_bytes(_CHECK_BYTES) + body)


def _read(path: Path) -> dict[Any, Any]:
    """What the file holds, or nothing where it isn't whole, isn't of this interpreter or could be another's."""
    try:
        with open(path, "rb") as stream:
            state = os.fstat(stream.fileno())
            if state.st_uid != os.getuid() or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return {}
            content = stream.read()
    except OSError:
        return {}
    check, body = content[:_CHECK_BYTES], content[_CHECK_BYTES:]
    if not body or crc32(body).to_bytes(_CHECK_BYTES) != check:
        return {}
    makes, kept = marshal.loads(body)
    return kept if makes == MAKES else {}
