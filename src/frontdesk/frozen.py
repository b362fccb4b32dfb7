"""`dataclass`, in place of the standard library's where a start of the inbox would wait for it; knows nobody.

Up to Python 3.12 the standard library compiles six methods for each frozen class, and the inbox is made of
eighty of them: 40 ms of processor time, a thirteenth of its start. Here one is compiled, `__init__`,
and the others are shared. What it makes is a dataclass all the same, for `replace`, `fields` and `asdict`.
"""

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, **asked):
        """The standard library's decorator; what is frozen with slots and nothing else is made faster."""
        if cls is None and asked == {"frozen": True, "slots": True}:
            return _made
        return dataclasses.dataclass(cls, **asked)

    def _made(cls):
        own = set(cls.__dict__)
        cls.__doc__ = cls.__doc__ or cls.__name__  # where there is none it would be made of a parsed signature
        made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
        fields = dataclasses.fields(made)
        values = _values(tuple(each.name for each in fields if each.compare))
        shown = tuple(each.name for each in fields if each.repr)

        def same(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        def said(self):
            return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

        methods = {
            "__init__": _initializer(fields, "__post_init__" in own),
            "__eq__": same,
            "__hash__": lambda self: hash(values(self)),
            "__repr__": said,
            "__setattr__": _refuse,
            "__delattr__": _refuse,
            "__getstate__": _state,
            "__setstate__": _restore,
        }
        for name, method in methods.items():
            if name not in own:
                setattr(made, name, method)
        return made

    def _values(names):
        """The compared values as a tuple, also where there are none or one."""
        if len(names) > 1:
            return attrgetter(*names)
        return lambda self: tuple(getattr(self, name) for name in names)

    def _initializer(fields, calls_post_init):
        given = {"_set": object.__setattr__}
        parameters, lines = [], []
        for each in fields:
            name = each.name
            if each.default is not dataclasses.MISSING:
                given[f"_{name}"] = each.default
                parameters.append(f"{name}=_{name}")
            elif each.default_factory is not dataclasses.MISSING:
                given[f"_{name}"] = each.default_factory
                parameters.append(f"{name}=_set")
                lines.append(f" if {name} is _set: {name} = _{name}()")
            else:
                parameters.append(name)
            lines.append(f" _set(self, {name!r}, {name})")
        if calls_post_init:
            lines.append(" self.__post_init__()")
        exec(f"def __init__(self, {', '.join(parameters)}):\n" + ("\n".join(lines) or " pass"), given)
        made = given["__init__"]
        made.__annotations__ = {each.name: each.type for each in fields}
        return made

    def _refuse(self, name, *_):
        raise dataclasses.FrozenInstanceError(f"{name} of a {type(self).__name__} can't be changed")

    def _state(self):
        return [getattr(self, each.name) for each in dataclasses.fields(self)]

    def _restore(self, state):
        for each, value in zip(dataclasses.fields(self), state, strict=True):
            object.__setattr__(self, each.name, value)
