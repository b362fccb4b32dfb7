"""Yours and theirs against the version that both were made from."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import few
from flows.checks.any_document import broken_documents
from flows.checks.sample_workflows import Json, draw, exit_of, node, parent, whole
from frontdesk_flows.diff import differences
from frontdesk_flows.merge import Merged, merge

Edit = Callable[[Json], object]


def edited(*edits: Edit) -> Json:
    made = whole()
    for each in edits:
        each(made)
    return made


def told(found: Merged) -> list[tuple[str, str]]:
    return [(each.node_id, each.field) for each in found.conflicts]


def say(identity: str, words: str) -> Edit:
    return lambda made: parent(made, identity)["data"].update(message=words)


def title(identity: str, words: str) -> Edit:
    return lambda made: exit_of(made, identity).update(title=words)


def add(identity: str, after: str) -> Edit:
    def change(made: Json) -> None:
        made["parsedData"].append(node(identity, messageType="custom", message=identity))
        parent(made, after)["connections"]["out"] = [identity]
        draw(made)

    return change


def remove(identity: str) -> Edit:
    def change(made: Json) -> None:
        made["parsedData"] = [each for each in made["parsedData"] if each["id"] != identity]
        for each in made["parsedData"]:
            for one in (each, *each["subNodes"]):
                one["connections"]["out"] = [to for to in one["connections"]["out"] if to != identity]
        draw(made)

    return change


def rename(words: str) -> Edit:
    return lambda made: made.update(name=words)


def switch(made: Json) -> None:
    made["isActive"] = False


def turn_exits(made: Json) -> None:
    parent(made, "ask")["subNodes"][:2] = parent(made, "ask")["subNodes"][1::-1]


def move(made: Json) -> None:
    made["data"]["nodes"][0]["position"] = {"x": 7, "y": 7}


APART: dict[str, Edit] = {
    "words": say("ask", "Is it there yet?"),
    "other words": say("thank", "Thank you"),
    "exit": title("yes", "Yes, it is"),
    "wait": lambda made: parent(made, "pause")["data"].update(minutes=9),
    "name": rename("Other"),
    "off": switch,
    "settings": lambda made: made.update(settings={"timeoutMinutes": 5}),
    "add": add("new", "thank"),
    "order": turn_exits,
    "drawn": move,
}
"""Edits that don't touch each other."""


@pytest.mark.parametrize(("one", "other"), [(a, b) for a in APART for b in APART if a < b])
def test_edits_in_different_places_are_both_there(one: str, other: str) -> None:
    found = merge(whole(), edited(APART[one]), edited(APART[other]))
    assert told(found) == []
    wanted = edited(APART[one], APART[other])
    assert not differences(wanted, {**wanted, **found.document})


CLASHES: dict[str, tuple[Edit, Edit, tuple[str, str]]] = {
    "words": (say("ask", "One"), say("ask", "Two"), ("ask", "data.message")),
    "exit": (title("yes", "One"), title("yes", "Two"), ("yes", "title")),
    "name": (rename("One"), rename("Two"), ("", "name")),
    "removed and changed": (remove("thank"), say("thank", "Two"), ("thank", "")),
    "both added": (
        add("new", "thank"),
        lambda made: (add("new", "thank")(made), say("new", "Two")(made)),
        ("new", "data.message"),
    ),
    "way": (add("one", "thank"), add("two", "thank"), ("thank", "connections.out")),
    "led to a removed one": (
        remove("thank"),
        lambda made: exit_of(made, "else")["connections"].update(out=["thank"]),
        ("else", "connections.out"),
    ),
}


@pytest.mark.parametrize("name", CLASHES)
def test_what_both_changed_differently_is_a_conflict_with_all_three_values(name: str) -> None:
    one, other, place = CLASHES[name]
    found, turned = merge(whole(), edited(one), edited(other)), merge(whole(), edited(other), edited(one))
    assert place in told(found)
    assert sorted(told(found)) == sorted(told(turned))
    conflict = next(each for each in found.conflicts if (each.node_id, each.field) == place)
    swapped = next(each for each in turned.conflicts if (each.node_id, each.field) == place)
    assert (conflict.base, conflict.mine, conflict.theirs) == (swapped.base, swapped.theirs, swapped.mine)


def test_the_same_edit_on_both_sides_is_no_conflict() -> None:
    for edit in APART.values():
        assert merge(whole(), edited(edit), edited(edit)).conflicts == ()


def test_a_field_that_a_file_lacks_stays_as_it_is_stored() -> None:
    found = merge(whole(), {"name": "Mine"}, edited(say("ask", "Theirs"), switch))
    assert told(found) == []
    assert found.document["name"] == "Mine"
    assert parent(found.document, "ask")["data"]["message"] == "Theirs"
    assert found.document["isActive"] is False


def test_what_the_platform_manages_is_nobodys_change() -> None:
    one, other = edited(say("ask", "One")), edited(say("thank", "Two"))
    one |= {"lastModified": 1, "executionCount": 2}
    other |= {"lastModified": 3, "executionCount": 4, "analytics": None}
    found = merge(whole(), one, other)
    assert told(found) == []
    assert not {"lastModified", "executionCount", "analytics"} & found.document.keys()


def same(one: Any, other: Any) -> bool:
    return not differences(one, other)


SUBSETS = st.lists(st.sampled_from(sorted(APART)), unique=True)


@few
@given(mine=SUBSETS, theirs=SUBSETS)
def test_any_edits_apart_merge_and_it_is_the_same_from_both_sides(mine: list[str], theirs: list[str]) -> None:
    both = edited(*(APART[each] for each in dict.fromkeys((*sorted(mine), *sorted(theirs)))))
    one, other = (edited(*(APART[each] for each in side)) for side in (mine, theirs))
    found = merge(whole(), one, other)
    assert told(found) == []
    assert same({**both, **found.document}, both)
    assert found.document["parsedData"] == merge(whole(), other, one).document["parsedData"]


@pytest.mark.slow
@settings(max_examples=150)
@given(base=broken_documents(), mine=broken_documents(), theirs=broken_documents())
def test_anything_merges_or_conflicts_and_never_fails(base: Json, mine: Json, theirs: Json) -> None:
    before = copy.deepcopy((base, mine, theirs))
    found, turned = merge(base, {**dict.fromkeys(base), **mine}, theirs), merge(base, theirs, mine)
    assert (base, mine, theirs) == before
    assert found == merge(base, {**dict.fromkeys(base), **mine}, theirs)
    assert isinstance(turned.conflicts, tuple)


@pytest.mark.slow
@settings(max_examples=150)
@given(base=broken_documents(), mine=broken_documents())
def test_what_one_side_changed_is_taken_as_it_is(base: Json, mine: Json) -> None:
    mine = {**dict.fromkeys(base), **mine}
    for found in (merge(base, mine, base), merge(base, mine, mine), merge(base, base, mine)):
        assert found.conflicts == ()
        assert same(mine, {**mine, **found.document})
