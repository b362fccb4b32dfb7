"""Rows of lines and folders to choose from: names, ids, and how campaigns used them."""

import pytest

from frontdesk.campaigns.last_uses import LastUse, LastUses
from frontdesk.campaigns.view.wizard import KnownId, known_folders, known_id_line, known_lines
from frontdesk_lines.lines import Role, width_of
from sample_records import NOW, VIEW, words

USES = LastUses({"L1": LastUse(2, NOW - 120, ["Sale", "News"]), "L3": LastUse(0, None, ["Later"])}, 0)


def lines(uses: LastUses = USES) -> list[KnownId]:
    return known_lines({"L1": "Support", "L2": "Sales", "L3": "L3"}, {"L1": "WhatsApp"}, uses, "L2", VIEW)


def shown(rows: list[KnownId], width: int = 90) -> list[str]:
    return [words(known_id_line(each, width, VIEW)).strip() for each in rows]


def test_a_line_says_what_is_known_of_it_and_the_workflow_s_own_is_first() -> None:
    first, second, third = shown(lines())
    assert first.startswith("Sales  L2 ")
    assert first.endswith("the workflow's line · no campaigns known · channel unknown")
    assert second.startswith("Support  L1 ")
    assert second.endswith("2 running · used 14:28 · WhatsApp")
    assert third.startswith("L3 ")
    assert third.endswith("none running · last use unknown · channel unknown")


def test_with_campaigns_that_were_never_read_a_number_is_the_least() -> None:
    rows = shown(lines(LastUses(USES.by_id, 1)))
    assert "2+ running" in rows[1]
    assert "0+ running" in rows[2]


def test_an_id_is_dim_and_stands_alone_where_no_name_is_known() -> None:
    for each in lines():
        roles = {part.text.text: part.role for part in known_id_line(each, 90, VIEW)}
        assert roles[each.id] is Role.DIM
        assert not each.name or roles[each.name.text] is Role.STRONG


@pytest.mark.parametrize("width", [20, 44, 90])
def test_where_it_is_narrow_the_last_facts_are_left_out(width: int) -> None:
    for each in lines():
        line = known_id_line(each, width, VIEW)
        assert width_of(line) == width
        assert width > 20 or "channel" not in words(line)
    assert "2 running" in words(known_id_line(lines()[1], 44, VIEW))


def test_a_folder_is_its_id_with_its_campaigns_by_which_it_is_found() -> None:
    uses = LastUses({"f-1": LastUse(0, NOW - 120, ["Sale", "News", "Jobs", "Spring"])}, 0)
    (folder,) = known_folders(uses, VIEW)
    assert shown([folder])[0].startswith("f-1  Sale, News, Jobs and 1 more ")
    assert shown([folder])[0].endswith("used 14:28")
    assert "Spring" in folder.search_words
