"""Being told to end, before or after there is anything to put away."""

import signal

import pytest

from frontdesk.linear.run import linear_interface


def test_who_is_told_to_end_goes_without_a_traceback_and_is_not_broken_into() -> None:
    told_by = (signal.SIGTERM, signal.SIGHUP)
    linear_interface(None, len)
    leave = signal.getsignal(signal.SIGTERM)
    assert callable(leave)
    with pytest.raises(SystemExit) as left:
        leave(signal.SIGTERM, None)
    assert not left.value.code
    assert [signal.getsignal(each) for each in told_by] == [signal.SIG_IGN] * 2
