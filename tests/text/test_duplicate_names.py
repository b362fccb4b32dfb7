"""Ids beside names that several records share."""

from frontdesk.text.fuzzy import ids_of_namesakes, shared_names, shorten_id


def test_names_that_look_alike_are_shared_and_no_name_is_none() -> None:
    assert shared_names(["Sale", " sale  ", "Summer sale", "Summer  Sale", "Other", "", " "]) == {
        "sale",
        "summer sale",
    }


def test_only_namesakes_have_an_id_and_it_is_the_end_of_no_other() -> None:
    names = {
        "65f0c2a19b7d4e0012aa01f7": "Sale",
        "77f0c2a19b7d4e0012aa01f7": "Sale",
        "65f0c2a19b7d4e0012aa0999": "Other",
    }
    short = ids_of_namesakes(names)
    assert set(short) == {"65f0c2a19b7d4e0012aa01f7", "77f0c2a19b7d4e0012aa01f7"}
    assert len(set(short.values())) == 2
    assert all(full.endswith(each.removeprefix("…")) for full, each in short.items())


def test_an_id_is_shortened_to_an_end_that_no_other_has() -> None:
    assert shorten_id("65f0c2a19b7d4e0012aa01f7", ["65f0c2a19b7d4e0012aa0999"]) == "…12aa01f7"
    assert shorten_id("workflow-a-0012aa01f7", ["other-b-0012aa01f7"]) == "…a-0012aa01f7"
    assert shorten_id("w1", ["w2"]) == "w1"
    assert shorten_id("0012aa01f7xx", ["long-0012aa01f7xx"]) == "0012aa01f7xx"
