"""`frontdesk sandbox` passes its options on, and refuses those that the sandbox couldn't follow."""

from pathlib import Path

import pytest

from cli.commandline import Frontdesk
from frontdesk_sandbox import service
from frontdesk_sandbox.options import SandboxOptions


@pytest.mark.parametrize("speed", ["inf", "nan", "1e308", "0", "-1", "fast"])
def test_a_speed_that_no_clock_can_follow_is_refused(nowhere: Frontdesk, tmp_path: Path, speed: str) -> None:
    refused = nowhere("sandbox", "--port", "0", "--data", str(tmp_path / "data"), "--speed", speed)
    assert refused.status == 2
    assert "speed" in refused.err
    assert not (tmp_path / "data").exists()


def test_it_takes_the_option_of_other_codes(nowhere: Frontdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[SandboxOptions] = []
    monkeypatch.setattr(service, "run", lambda options, _: begun.append(options))
    assert nowhere("sandbox", "--port", "0", "--other-codes").status == 0
    assert [each.other_codes for each in begun] == [True]
    assert "--other-codes" in nowhere("sandbox", "--help").out
