"""`frontdesk config path`, `edit` and `check`."""

from pathlib import Path

import pytest

from cli.commandline import Frontdesk
from tui.test_editor import script

BROKEN = """\
[settings]
themx = "a"
[settings.keymap]
"task.status" = "j"
[[settings.alerts]]
when = "soon"
[[settings.views]]
name = "late"
match = "is:latte"
[profiles.a]
base_url = "https://platform.example"
"""


@pytest.fixture
def config(nowhere: Frontdesk) -> Path:
    return Path(nowhere("config", "path").out.strip())


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_its_path_is_where_the_program_looks(nowhere: Frontdesk, config: Path) -> None:
    assert config == Path(nowhere.environ["XDG_CONFIG_HOME"]) / "frontdesk" / "config.toml"
    assert f"There is no {config} yet" in nowhere("config", "check").out


def test_each_problem_is_on_a_line_with_its_place(nowhere: Frontdesk, config: Path) -> None:
    write(config, BROKEN)
    typed = nowhere("config", "check")
    assert (typed.status, typed.err) == (1, "")
    places = [line.split(": ")[:2] for line in typed.out.splitlines()]
    assert places == [
        ["config.toml, line 2", "settings.themx"],
        ["config.toml, line 4", "settings.keymap.task.status"],
        ["config.toml, line 6", "settings.alerts[0].when"],
        ["config.toml, line 9", "settings.views[0].match"],
    ]


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("[settings\n", 1, "config.toml: not valid TOML: "),
        ('[settings]\nbell = "x"\n', 1, "config.toml, line 2: settings.bell: expected true or false"),
        (
            '[settings]\nthemx = "a"\n',
            0,
            "line 2: settings.themx: unknown key; check its spelling (warning)",
        ),
        ("[settings]\nbell = true\n", 0, "config.toml has no problems."),
    ],
)
def test_a_warning_alone_is_no_failure(
    nowhere: Frontdesk, config: Path, text: str, status: int, said: str
) -> None:
    write(config, text)
    typed = nowhere("config", "check")
    assert typed.status == status
    assert said in typed.out


def test_it_is_edited_in_place_and_checked_afterwards(nowhere: Frontdesk, config: Path, tmp_path: Path) -> None:
    editor = script(tmp_path, 'echo "[settings]" > "$1"; echo "bell = 3" >> "$1"')
    typed = nowhere("config", "edit", VISUAL=str(editor))
    assert typed.status == 1
    assert "config.toml, line 2: settings.bell" in typed.out
    assert config.stat().st_mode & 0o777 == 0o600
    typed = nowhere("config", "edit", VISUAL=str(script(tmp_path, f'echo "$@" > {tmp_path}/arguments', "nano")))
    assert (tmp_path / "arguments").read_text().split() == ["+2", str(config)]
    assert "ended with status 3" in nowhere.fails(1, "config", "edit", VISUAL=str(script(tmp_path, "exit 3")))


def test_without_an_editor_nothing_is_opened(nowhere: Frontdesk) -> None:
    assert "Set VISUAL or EDITOR" in nowhere.fails(2, "config", "edit", PATH="/nowhere", VISUAL="", EDITOR="")
