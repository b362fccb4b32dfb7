"""What `frontdesk.frozen` makes behaves as what the standard library makes of the same class."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from frontdesk import frozen


def person(decorate: Callable[..., Any]) -> Any:
    class Person:
        """Somebody."""

        name: str
        age: int = 0
        tags: list[str] = dataclasses.field(default_factory=list)
        raw: str = dataclasses.field(default="", repr=False, compare=False)

        @property
        def is_old(self) -> bool:
            return self.age > 90

    return decorate(frozen=True, slots=True)(Person)


OURS, THEIRS = person(frozen.dataclass), person(dataclasses.dataclass)


@frozen.dataclass(frozen=True, slots=True)
class Alone:
    """A class that pickle finds by its name."""

    value: int


@pytest.mark.parametrize("given", [{"name": "Noa"}, {"name": "Noa", "age": 91, "tags": ["vip"], "raw": "x"}])
def test_it_says_and_holds_the_same(given: dict[str, Any]) -> None:
    ours, theirs = OURS(**given), THEIRS(**given)
    assert repr(ours) == repr(theirs)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert [each.name for each in dataclasses.fields(ours)] == [each.name for each in dataclasses.fields(theirs)]
    assert ours.is_old == theirs.is_old
    assert ours.__match_args__ == theirs.__match_args__


def test_equality_is_of_what_is_compared() -> None:
    one = OURS("Noa", 3, ["a"])
    assert one == OURS("Noa", 3, ["a"], "other")
    assert one != OURS("Noa", 4, ["a"])
    assert one != THEIRS("Noa", 3, ["a"])
    assert hash(Alone(3)) == hash(Alone(3))
    assert Alone(3) != Alone(4)


def test_it_is_frozen_and_has_no_dict() -> None:
    one = OURS("Noa")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.name = "Dana"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.name
    assert not hasattr(one, "__dict__")


def test_it_is_replaced_copied_and_pickled() -> None:
    one = OURS("Noa", 3)
    assert dataclasses.replace(one, age=4) == OURS("Noa", 4)
    assert copy.copy(one) == copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(Alone(7))) == Alone(7)


def test_each_has_a_list_of_its_own() -> None:
    assert OURS("a").tags is not OURS("b").tags


def test_what_is_not_frozen_is_the_standard_librarys() -> None:
    @frozen.dataclass
    class Open:
        """Can be changed."""

        value: int = 0

    one = Open()
    one.value = 3
    assert one == Open(3)
