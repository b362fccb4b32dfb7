"""No byte that a stranger wrote acts on the terminal, wherever it is shown; a sample of the benchmark.

`tests/lab/benchmarks/hostile_text.py` tries every action, more rounds, and two terminal emulators.
"""

import asyncio
from pathlib import Path

import pytest

from kit import SCREEN_KEYS
from lab.hostile import places
from lab.hostile.command_lines import ANSWERED
from lab.hostile.observations import TOAST, of_sessions, of_steps
from lab.hostile.platform import HostilePlatform
from lab.hostile.sessions import LINEAR_PLACE, run_sessions
from lab.hostile.walk import Step, opened, sampled_actions, walk_screen, walk_searches
from tui.hosts import wire

__all__ = ["wire"]


@pytest.mark.lab
def test_screens_and_dialogs_write_nothing_of_a_stranger_but_text(tmp_path: Path, wire: list[str]) -> None:
    async def steps() -> list[Step]:
        async with opened(tmp_path, HostilePlatform(), wire) as walk:
            for key, screen in SCREEN_KEYS.items():
                await walk_screen(walk, key, sampled_actions(screen))
            await walk_searches(walk)
            return walk.steps

    faults, seen = of_steps(asyncio.run(steps()))
    assert not faults
    assert not places.unlisted(seen)
    for place in ("InboxScreen", "BoardScreen", "CampaignsScreen", "WorkflowsScreen", "AiAgentsScreen"):
        assert len(seen[place]) >= 3, (place, seen[place])
    for place in ("RecordDialog", "TagDialog", "AssignDialog", "clipboard", TOAST):
        assert seen[place], place


@pytest.mark.lab
@pytest.mark.xdist_group("pty")
def test_command_lines_and_the_linear_mode_write_nothing_of_a_stranger_but_text(tmp_path: Path) -> None:
    written = run_sessions(tmp_path, HostilePlatform())
    faults, seen = of_sessions(written)
    assert not faults
    assert not places.unlisted(seen)
    assert set(written) == {LINEAR_PLACE, *ANSWERED}
    expected = {(field, place) for field, known in places.shown().items() for place in known & set(ANSWERED)}
    pairs = {(field, place) for place, fields in seen.items() for field in fields}
    # What the engine has sent by then differs, and with it which writes are refused.
    assert len(expected & pairs) > 0.8 * len(expected), sorted(expected - pairs)
    assert len(seen[LINEAR_PLACE]) > 25
