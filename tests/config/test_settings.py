"""config.toml: what is read, what is refused with its path, and what a save leaves alone."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.config.account_writer import save_profile
from frontdesk.config.settings import (
    AlertSetting,
    Config,
    ConfigError,
    NoProfile,
    Profile,
    Settings,
    StatusLabel,
    TagLabel,
    data_dir,
    load_config,
    parse_hosts,
    resolve_profile,
)
from frontdesk_api.hosts import Hosts
from frontdesk_lines.display_text import is_blank

FULL = """
# my own words
default_profile = "acme"

[settings]
requests_per_second = 2
theme = "light"
ascii = true
keymap = { "task.assign" = "x" }

[profiles.acme]
base_url = "https://api.acme.test/"
ai_url = "https://ai.acme.test/v1"
agent_id = "a1"
watched_campaigns = ["c1"]

[[profiles.acme.lines]]
id = "972"
label = "Shop"

[[profiles.acme.statuses]]
id = "waiting"
name = "Waiting"

[[profiles.acme.statuses]]
id = "completed"
name = "Done"

[[profiles.acme.tags]]
id = "t1"
title = "VIP"

[profiles.other]
base_url = "http://127.0.0.1:8787"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_no_file_is_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "config.toml") == Config()


def test_a_full_file_is_read(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, FULL))
    acme = config.profiles["acme"]
    base = "https://api.acme.test"
    assert acme.hosts == Hosts(base, base, base, base, "https://ai.acme.test/v1")
    assert acme.lines == {"972": "Shop"}
    assert acme.tags == (TagLabel("t1", "VIP", ""),)
    assert acme.watched_campaigns == ("c1",)
    assert (config.settings.requests_per_second, config.settings.theme, config.settings.ascii) == (
        2.0,
        "light",
        True,
    )
    assert config.settings.requests_per_minute == 0, "not set"
    assert config.unknown == ()


def test_a_name_that_nobody_sees_is_the_id(tmp_path: Path) -> None:
    text = '[profiles.a]\nbase_url = "https://x"\nagents = [{id="noa",name="\u3164"}, {id="dan",name=""}]\n'
    text += 'lines = [{id="l1",label="\u200b"}]\ntags = [{id="vip",title="\u2800"}]\n'
    profile = load_config(written(tmp_path, text)).profiles["a"]
    assert profile.agents == {"noa": "noa", "dan": "dan"}
    assert (profile.lines, profile.tags[0].title) == ({"l1": "l1"}, "vip")


def test_built_in_statuses_are_always_there_and_configured_ones_keep_their_place(tmp_path: Path) -> None:
    acme = load_config(written(tmp_path, FULL)).profiles["acme"]
    assert [(status.id, status.name) for status in acme.statuses] == [
        ("open", "Open"),
        ("standby", "In progress"),
        ("waiting", "Waiting"),
        ("completed", "Done"),
    ]


def alert(more: str) -> str:
    return f'[[settings.alerts]]\nwhen = "failed > 3%"\n{more}\n'


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("default_profile = 1", "default_profile"),
        ("[profiles.a]", "profiles.a.base_url"),
        ("profiles = 1", "profiles"),
        ('[profiles.a]\nbase_url = "ftp://x"', "profiles.a.base_url"),
        ('[profiles.a]\nbase_url = "https://x"\nai_url = "http://x"', "profiles.a.ai_url"),
        ('[profiles.a]\nbase_url = "https://x"\nlines = [{label = "l"}]', "profiles.a.lines[0].id"),
        (
            '[profiles.a]\nbase_url = "https://x"\nlines = [{id="1",label="l"},{id="2",label="l"},{id=3}]',
            "profiles.a.lines[2].id",
        ),
        (
            '[profiles.a]\nbase_url = "https://x"\nagents = [{id="1",name="l"},{id="1",name="l"}]',
            "profiles.a.agents[1].id",
        ),
        ('[profiles.a]\nbase_url = "https://x"\nstatuses = 3', "profiles.a.statuses"),
        ('[profiles.a]\nbase_url = "https://x"\nagent_id = 3', "profiles.a.agent_id"),
        (
            '[profiles.a]\nbase_url = "https://x"\nagent_id = "Me"',
            "profiles.a.agent_id: 'Me' isn't an agent id. Remove this line, then run `frontdesk login a`",
        ),
        ('[profiles.a]\nbase_url = "https://x"\nwatched_campaigns = [3]', "profiles.a.watched_campaigns"),
        ('[profiles."a/../b"]\nbase_url = "https://x"', "profiles."),
        ("[settings]\nrequests_per_second = true", "settings.requests_per_second"),
        ("[settings]\nrequests_per_minute = 0", "settings.requests_per_minute"),
        ("[settings]\nascii = 1", "settings.ascii"),
        ('[settings]\ntheme = "pink"', "settings.theme"),
        ("[settings.keymap]\nx = 1", "settings.keymap.x"),
        ("[settings]\nviews = 1", "settings.views"),
        ('[[settings.views]]\nname = "a"', "settings.views[0].match"),
        ('[settings]\nviews = [{name="a",match="x"},{name="a",match="y"}]', "settings.views[1].name"),
        ("[settings]\nalerts = 1", "settings.alerts: expected a list"),
        ("[settings]\nalerts = [1]", "settings.alerts[0]: expected a table"),
        ("[[settings.alerts]]\nwhen = 3", "settings.alerts[0].when: expected text"),
        (alert("by = 3"), "settings.alerts[0] (failed > 3%).by: expected a list"),
        (
            alert('by = ["horn"]'),
            "settings.alerts[0] (failed > 3%).by: expected a list with any of bell, title, notify",
        ),
        (alert('run = "say {name}"'), "settings.alerts[0] (failed > 3%).run: expected a list of strings"),
        (alert('run = [" ", "x"]'), "settings.alerts[0] (failed > 3%).run: the program is empty"),
        (alert('run = ["{name}"]'), "settings.alerts[0] (failed > 3%).run: the program's name"),
        (alert('run = ["say", "{nam}"]'), "settings.alerts[0] (failed > 3%).run: unknown placeholder {nam}"),
        (
            alert('run = ["say", "a\\u0000"]'),
            "settings.alerts[0] (failed > 3%).run: an argument contains a NUL character",
        ),
        (alert("again = 1"), "settings.alerts[0] (failed > 3%).again"),
        (alert("least = 0"), "settings.alerts[0] (failed > 3%).least"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(tmp_path: Path, text: str, path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(written(tmp_path, text))
    assert str(caught.value).startswith(path)


def test_alerts_are_read(tmp_path: Path) -> None:
    text = alert('by = ["bell"]\nrun = ["say", "{name}: {value}"]\nagain = true\nleast = 5\nrum = []')
    loaded = load_config(written(tmp_path, text + '[[settings.alerts]]\nwhen = "finished"\n'))
    assert loaded.settings.alerts == (
        AlertSetting("failed > 3%", ("bell",), ("say", "{name}: {value}"), True, 5),
        AlertSetting("finished"),
    )
    assert loaded.unknown == ("settings.alerts[0].rum",)


def test_broken_toml_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not valid TOML"):
        load_config(written(tmp_path, "[a"))


def test_keys_that_nobody_reads_are_listed(tmp_path: Path) -> None:
    text = '[settings]\nthem = "x"\n[profiles.a]\nbase_url = "https://x"\nbase = 1\n[views]\n'
    assert set(load_config(written(tmp_path, text)).unknown) == {"settings.them", "profiles.a.base", "views"}


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "https://user@host",
        "https://host?x",
        "https://host#x",
        "https://",
        "host",
        "https://ho st",
        "https://host:port",
        "https://hoſt",
        "http://127.0.0.1.evil.test",
        "http://127.999.1.1",
        "http://127.0.0.256",
        "http://127.0.0.01",
        "http://127.0.0.1.",
        "http://localhost.evil.test",
        "https://host\\evil",
        "file:///etc/passwd",
    ],
)
def test_a_url_that_must_not_get_credentials_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match=r"^base_url: "):
        parse_hosts({"base_url": url})


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "http://127.9.99.255", "http://localhost", "http://[::1]:5", "https://h/a/b"]
)
def test_https_and_loopback_are_hosts_without_the_last_slash(url: str) -> None:
    assert parse_hosts({"base_url": f" {url}// "}).ai_url == url


LOOPBACK = {"FRONTDESK_BASE_URL": "http://127.0.0.1:8787", "FRONTDESK_COOKIE": "a=b", "FRONTDESK_API_KEY": "k"}


def test_the_environment_alone_is_enough_and_its_store_is_its_own() -> None:
    one = resolve_profile(Config(), LOOPBACK)
    assert one.name.startswith("env-127.0.0.1-8787-")
    assert one.hosts_from_environment
    others = [
        LOOPBACK | {"FRONTDESK_BASE_URL": "http://127.0.0.1:8788"},
        LOOPBACK | {"FRONTDESK_AGENT_ID": "other"},
        LOOPBACK | {"FRONTDESK_API_KEY": "other"},
        LOOPBACK | {"FRONTDESK_AI_URL": "http://127.0.0.1:9"},
    ]
    names = {data_dir(resolve_profile(Config(), environ)) for environ in [LOOPBACK, *others]}
    assert len(names) == 5
    renewed = resolve_profile(Config(), LOOPBACK | {"FRONTDESK_COOKIE": "a=renewed"})
    assert data_dir(renewed) in names, "what waits to be sent is found again after a new sign-in"
    assert resolve_profile(Config(), LOOPBACK) == one


def test_without_anything_it_says_how_to_begin() -> None:
    with pytest.raises(NoProfile, match="frontdesk login"):
        resolve_profile(Config(), {})
    with pytest.raises(NoProfile, match="nope"):
        resolve_profile(Config(), LOOPBACK, "nope")


def test_several_profiles_without_a_default_are_named() -> None:
    one = resolve_profile(Config(), LOOPBACK)
    words = r"several profiles \(acme, other\) and no default; set default_profile or FRONTDESK_PROFILE"
    with pytest.raises(NoProfile, match=words):
        resolve_profile(Config(profiles={"other": one, "acme": one}), {})


def test_a_missing_default_profile_names_the_login_that_creates_it() -> None:
    one = resolve_profile(Config(), LOOPBACK)
    with pytest.raises(NoProfile, match="correct it, or run `frontdesk login gone`"):
        resolve_profile(Config(default_profile="gone", profiles={"acme": one}), {})


def test_a_name_beats_the_environment_beats_the_default(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, FULL))
    assert resolve_profile(config, {}).name == "acme"
    assert resolve_profile(config, {"FRONTDESK_PROFILE": "other"}).name == "other"
    assert resolve_profile(config, {"FRONTDESK_PROFILE": "other"}, "acme").name == "acme"
    assert resolve_profile(config, {"FRONTDESK_AGENT_ID": "a9"}).agent_id == "a9"
    with pytest.raises(ConfigError, match=r"FRONTDESK_AGENT_ID: 'me' isn't an agent id\. Unset the variable"):
        resolve_profile(config, {"FRONTDESK_AGENT_ID": "me"})
    assert resolve_profile(config, {"FRONTDESK_BASE_URL": ""}).name == "acme"


def test_a_base_url_in_the_environment_never_mixes_with_the_profiles_hosts(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, FULL))
    default = resolve_profile(config, LOOPBACK)
    named = resolve_profile(config, LOOPBACK, "acme")
    for profile in (default, named):
        assert set(vars_of(profile.hosts)) == {"http://127.0.0.1:8787"}
        assert profile.hosts_from_environment
        assert data_dir(profile) != data_dir(config.profiles["acme"])
    assert named.lines == {"972": "Shop"}


def test_one_host_in_the_environment_replaces_that_one(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, FULL))
    profile = resolve_profile(config, {"FRONTDESK_AI_URL": "http://127.0.0.1:5"})
    assert profile.hosts.ai_url == "http://127.0.0.1:5"
    assert profile.hosts.base_url == "https://api.acme.test"
    assert profile.hosts_from_environment


def vars_of(hosts: Hosts) -> list[str]:
    return [getattr(hosts, name) for name in Hosts.__slots__]


def test_a_save_keeps_comments_other_profiles_and_settings(tmp_path: Path) -> None:
    path = written(tmp_path, FULL)
    before = load_config(path)
    acme = before.profiles["acme"]
    changed = Profile(
        "acme", acme.hosts, lines={"1": "A", "2": "ב"}, statuses=(StatusLabel("open", "Neu"), *acme.statuses[1:])
    )
    save_profile(changed, path=path)
    after = load_config(path)
    assert "# my own words" in path.read_text(encoding="utf-8")
    assert after.profiles["acme"] == changed
    assert (after.profiles["other"], after.settings) == (before.profiles["other"], before.settings)


def test_a_save_makes_the_first_profile_the_default_and_others_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    save_profile(Profile("a", parse_hosts({"base_url": "https://a"})), path=path)
    save_profile(Profile("b", parse_hosts({"base_url": "https://b"})), path=path)
    assert load_config(path).default_profile == "a"
    save_profile(Profile("b", parse_hosts({"base_url": "https://b"})), make_default=True, path=path)
    assert load_config(path).default_profile == "b"
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert os.listdir(path.parent) == ["config.toml"]


def test_a_save_never_touches_a_file_it_cannot_read(tmp_path: Path) -> None:
    path = written(tmp_path, "[a")
    with pytest.raises(ConfigError):
        save_profile(Profile("a", parse_hosts({"base_url": "https://a"})), path=path)
    assert path.read_text() == "[a"


LABELS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12)
NAMES = LABELS.filter(lambda name: not is_blank(name))


@settings(max_examples=40)
@given(
    lines=st.dictionaries(LABELS, NAMES, max_size=3),
    agents=st.dictionaries(LABELS, NAMES, max_size=3),
    head=st.sampled_from(
        ["", "# c\n", 'default_profile = "b"\n', FULL, '[profiles.p]\nbase_url="https://x"\nown=1\n']
    ),
)
def test_what_is_saved_is_what_is_loaded(
    tmp_path_factory: pytest.TempPathFactory, lines: dict[Any, str], agents: dict[Any, str], head: str
) -> None:
    path = written(tmp_path_factory.mktemp("config"), head)
    others = {name for name in load_config(path).profiles if name != "p"}
    profile = Profile(
        "p", parse_hosts({"base_url": "https://x", "ai_url": "https://y"}), lines=lines, agents=agents
    )
    save_profile(profile, path=path)
    loaded = load_config(path)
    assert loaded.profiles["p"] == profile
    assert set(loaded.profiles) == others | {"p"}
    if head.endswith("own=1\n"):
        assert tomllib.loads(path.read_text(encoding="utf-8"))["profiles"]["p"]["own"] == 1


_NUMBERS = [name for name in Settings.__annotations__ if type(getattr(Settings(), name)) in (int, float)]


@pytest.mark.parametrize("written", ["nan", "-nan", "inf", "-inf", "9" * 4_000, "0", "-1", "true", "1e400"])
@pytest.mark.parametrize("key", _NUMBERS)
def test_a_number_that_none_can_be_is_a_sentence_with_its_bounds(tmp_path: Path, key: str, written: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"[settings]\n{key} = {written}\n")
    with pytest.raises(ConfigError, match=rf"settings\.{key}: expected a number above 0, at most [0-9,]+$"):
        load_config(path)
