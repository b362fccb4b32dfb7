"""Rows of lines and folders to choose from: names, ids, and the campaigns in a folder."""

from frontdesk.campaigns.sent_campaigns import FolderUse
from frontdesk.campaigns.tui.wizard_form import folder_choices, line_choices
from sample_records import NOW, VIEW


def test_a_line_says_what_is_known_of_it_and_the_workflow_s_own_is_first() -> None:
    names, platforms = {"L1": "Support", "L2": "Sales", "L3": "L3"}, {"L1": "whatsapp", "L2": "", "L3": ""}
    rows = line_choices(names, platforms, "L2", VIEW)
    assert [(each.id, each.name.text, each.note.text) for each in rows] == [
        ("L2", "Sales", "the workflow's line · L2 · channel unknown"),
        ("L1", "Support", "L1 · WhatsApp"),
        ("L3", "L3", "L3 · channel unknown"),
    ]


def test_a_folder_is_its_id_with_its_campaigns() -> None:
    uses = {"f-1": FolderUse(NOW - 120, ["Sale", "News", "Jobs", "Spring"]), "f-2": FolderUse(None, ["Later"])}
    first, second = folder_choices(uses, VIEW)
    assert (first.id, first.name.text) == ("f-1", "f-1")
    assert first.note.text == "Sale, News, Jobs and 1 more · used 14:28"
    assert second.note.text == "Later · last use unknown"
