"""Views of one's own are saved in the config, used at once, replaced, removed, and never half saved."""

from pathlib import Path

import pytest

from cli.commandline import Frontdesk
from frontdesk.config import settings as config_settings
from frontdesk.config.catalogue_rows import NotSaved
from frontdesk.config.settings import Profile, load_config
from frontdesk.inbox.filter_words import match_fault, parse
from frontdesk.inbox.saved_views import load_views, remove_view, replace_views, save_view
from frontdesk.inbox.tui.view_sharing import own_name_fault
from frontdesk.storage.database import ProfileStore, Store
from frontdesk_api.hosts import Hosts
from services import Services

CONFIG = """\
# mine
[settings]
theme = "light"  # for the day

[[settings.views]]
name = "late"
match = "waiting>2h"  # two hours
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config" / "config.toml"
    monkeypatch.setattr(config_settings, "config_path", lambda: path)
    return path


@pytest.fixture
def own(store: Store, path: Path) -> ProfileStore:
    path.parent.mkdir()
    path.write_text(CONFIG)
    path.chmod(0o600)
    profile_store = Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5))).store
    load_views(profile_store)
    return profile_store


def saved(store: ProfileStore, path: Path) -> dict[str, str]:
    """The views of the running program, which are those of the file."""
    views = store.settings.views
    assert views == load_config(path).settings.views
    return {each.name: each.match for each in views}


@pytest.mark.parametrize("typed", ['"unread"', '"Mine" is:unread', '!"task"', "refund", "waiting>1h"])
def test_the_filter_of_the_list_can_be_saved_as_it_is_written_out(typed: str) -> None:
    assert match_fault(typed) == match_fault(str(parse(typed))) == ""


def test_a_view_is_saved_replaced_and_removed_and_comments_stay(own: ProfileStore, path: Path) -> None:
    save_view(own, "vip", "tag:vip is:unread")
    assert saved(own, path) == {"late": "waiting>2h", "vip": "tag:vip is:unread"}
    save_view(own, "late", "waiting>3h")
    assert list(saved(own, path).items()) == [("late", "waiting>3h"), ("vip", "tag:vip is:unread")]
    remove_view(own, "vip")
    assert saved(own, path) == {"late": "waiting>3h"}
    assert all(each in path.read_text() for each in ("# mine", "# for the day"))
    with pytest.raises(NotSaved, match="no view named 'vip'"):
        remove_view(own, "vip")
    remove_view(own, "late")
    assert 'theme = "light"  # for the day' in path.read_text()


def test_the_first_view_makes_the_config(own: ProfileStore, path: Path) -> None:
    path.unlink()
    save_view(own, "vip", "tag:vip")
    assert saved(own, path) == {"vip": "tag:vip"}
    assert path.stat().st_mode & 0o777 == 0o600
    remove_view(own, "vip")
    assert "settings" not in path.read_text()


@pytest.mark.parametrize(
    ("name", "match", "why"),
    [
        ("", "tag:vip", "required"),
        ("All", "tag:vip", "reserved"),
        ("x" * 1001, "tag:vip", "longer"),
        ("vip", "waiting>", "write waiting"),
        ("vip", "unread", "write is:unread"),
    ],
)
def test_what_no_start_could_use_is_refused(
    own: ProfileStore, path: Path, name: str, match: str, why: str
) -> None:
    with pytest.raises(NotSaved, match=why):
        save_view(own, name, match)
    assert path.read_text() == CONFIG


def test_views_that_were_changed_elsewhere_are_not_overwritten(own: ProfileStore, path: Path) -> None:
    shown, renamed = [{"name": "late", "match": "waiting>2h"}], [{"name": "later", "match": "waiting>2h"}]
    save_view(own, "vip", "tag:vip")
    with pytest.raises(NotSaved, match="changed elsewhere"):
        replace_views(own, shown, renamed)
    remove_view(own, "vip")
    replace_views(own, shown, renamed)
    assert saved(own, path) == {"later": "waiting>2h"}


def test_a_broken_or_locked_config_is_an_error_and_stays(own: ProfileStore, path: Path) -> None:
    path.write_text("[settings\n")
    with pytest.raises(NotSaved, match="not valid TOML"):
        save_view(own, "vip", "tag:vip")
    assert path.read_text() == "[settings\n"
    load_views(own)
    assert [each.name for each in own.settings.views] == ["late"], "those of the start are still used"


def test_the_commands_ask_before_a_view_is_replaced(frontdesk: Frontdesk) -> None:
    with frontdesk.store():
        pass
    assert frontdesk("views", "add", "vip", "tag:vip").out == "Saved the view vip.\n"
    assert "to replace it, add --replace" in frontdesk.fails(2, "views", "add", "vip", "is:unread")
    assert "to replace it, add --replace" in frontdesk.fails(2, "views", "add", "mine", "is:unread")
    for _ in range(2):  # the same view once more replaces nothing
        assert frontdesk("views", "add", "other", 'is:unread -is:task "mine"').status == 0
    assert "reserved" in frontdesk.fails(2, "views", "add", "all", "is:unread")
    assert frontdesk("views", "add", "vip", "is:unread", "--replace").status == 0
    listed = {each["name"]: each["match"] for each in frontdesk("views", "list", "--json").rows}
    assert listed["vip"] == "is:unread"
    assert frontdesk("views", "remove", "vip").out == "Removed the view vip.\n"
    assert "nothing was changed" in frontdesk.fails(2, "views", "remove", "vip")


@pytest.mark.parametrize(
    ("typed", "says"), [("unread", ""), ("is: it late?", ""), ("", "Required."), ("All", "'all' is reserved")]
)
def test_a_name_in_the_dialog_is_judged_as_a_name_and_not_as_a_filter(typed: str, says: str) -> None:
    fault = own_name_fault(typed)
    assert fault.startswith(says)
    assert bool(fault) is bool(says)
