"""Addresses of the platform's pages: templates are checked at the start, ids can't leave their place."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.config.account_writer import save_profile
from frontdesk.config.config_tables import NoPage, page_address
from frontdesk.config.settings import Profile, load_config
from frontdesk.config.tables import TableReader, keys_of

TASK = "https://desk.example/tasks/{task}?from={customer}"


def read(value: object) -> tuple[dict[str, str], list[str]]:
    reader = TableReader()
    return reader.value(keys_of(Profile)["web_url"], value, "profiles.a.web_url"), reader.problems


def refused(value: object) -> str:
    pages, (problem,) = read(value)
    assert pages == {}
    return problem


def test_ids_are_put_in_encoded() -> None:
    pages, _ = read({"task": TASK, "campaign": "http://localhost:8080/c/{campaign}"})
    assert page_address(pages, "task", {"task": "a/b?c#d é", "customer": "+49"}) == (
        "https://desk.example/tasks/a%2Fb%3Fc%23d%20%C3%A9?from=%2B49"
    )
    assert page_address(pages, "campaign", {"campaign": "{campaign}"}) == "http://localhost:8080/c/%7Bcampaign%7D"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("https://desk.example", "expected a table of conversation, task, campaign, workflow"),
        ({"ticket": TASK}, "profiles.a.web_url.ticket: unknown key; choose from"),
        ({"task": 5}, "task: expected text"),
        ({"task": "https://desk.example/{tsak}"}, "unknown placeholder {tsak}; expected {task}, {conversation}"),
        ({"campaign": "https://desk.example/{task}"}, "unknown placeholder {task}; expected {campaign}"),
        ({"task": "https://desk.example/{task"}, "an unmatched brace"),
        ({"task": "https://desk.example/tasks"}, "needs {task}; otherwise each task has the same page"),
        ({"conversation": "https://desk.example/{line}"}, "needs {conversation} or {customer}"),
        ({"task": "javascript:alert({task})"}, "begins with https:// or http://"),
        ({"task": "file:///{task}"}, "begins with https:// or http://"),
        ({"task": "https://{task}/"}, "the host can't have a placeholder"),
        ({"task": "https://{task}.desk.example/"}, "the host can't have a placeholder"),
        ({"task": "https://desk.example:{task}/"}, "the host can't have a placeholder"),
        ({"task": "https://me:secret@desk.example/{task}"}, "a user name or password"),
        ({"task": "https://desk.example/a b/{task}"}, "use only printable ASCII without spaces"),
        ({"task": "https://dësk.example/{task}"}, "use only printable ASCII without spaces"),
        ({"task": "https://[desk/{task}"}, "begins with https:// or http://"),
    ],
)
def test_what_is_no_template_is_refused_with_its_key(value: object, words: str) -> None:
    said = refused(value)
    assert said.startswith("profiles.a.web_url")
    assert words in said


def test_one_template_that_cannot_be_used_leaves_the_others() -> None:
    found, problems = read({"task": TASK, "campaign": "x"})
    assert found == {"task": TASK}
    assert problems[0].startswith("profiles.a.web_url.campaign: ")
    assert problems[0].endswith("; this address is ignored")


@pytest.mark.parametrize("bad", [".", ".."])
def test_an_id_that_would_leave_the_path_has_no_address(bad: str) -> None:
    with pytest.raises(NoPage, match="can't be part of an address"):
        page_address({"task": TASK}, "task", {"task": bad, "customer": "1"})


def test_what_has_no_template_or_no_id_is_told() -> None:
    with pytest.raises(NoPage, match="set workflow in its web_url"):
        page_address({"task": TASK}, "workflow", {"workflow": "w"})
    with pytest.raises(NoPage, match="needs the customer's id, which isn't known here"):
        page_address({"task": TASK}, "task", {"task": "t"})
    with pytest.raises(NoPage, match="invalid character"):
        page_address({"task": TASK}, "task", {"task": "\ud83d", "customer": "1"})


@given(st.text(min_size=1).filter(lambda each: each not in (".", "..")))
def test_no_id_changes_host_or_path(hostile: str) -> None:
    try:
        address = page_address({"task": "https://desk.example/tasks/{task}/open"}, "task", {"task": hostile})
    except NoPage:
        return
    parts = urlsplit(address)
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("https", "desk.example", "", "")
    assert address.isascii()
    assert parts.path.count("/") == 3
    assert unquote(parts.path) == f"/tasks/{hostile}/open"


def test_a_saved_profile_keeps_its_templates(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'[profiles.a]\nbase_url = "https://a.example"\n[profiles.a.web_url]\ntask = "{TASK}"\n')
    path.chmod(0o600)
    loaded = load_config(path)
    assert loaded.profiles["a"].web_url == {"task": TASK}
    save_profile(loaded.profiles["a"], path=path)
    assert load_config(path).profiles["a"] == loaded.profiles["a"]
    assert load_config(path).unknown == ()
