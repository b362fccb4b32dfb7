"""A class name means one thing in the whole tree."""

import ast
from collections import defaultdict

import pytest

from source_tree import place_of, source_files

MAY_OCCUR_TWICE: dict[str, str] = {}
"""Each with its reason. Messages are nested in the widget that posts them (`RowList.Chosen`) and don't count."""


@pytest.mark.slow
def test_a_class_name_occurs_once() -> None:
    places = defaultdict(list)
    for path in source_files():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(place_of(path))
    twice = {name: found for name, found in places.items() if len(found) > 1 and name not in MAY_OCCUR_TWICE}
    assert twice == {}
    assert len(places) > 600
