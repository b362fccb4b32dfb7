"""What `when` of an alert may say, and what is said of one that can't be read."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.alert_rules import BUILT_IN, AlertMeasure, AlertRule, LimitUnit, RuleError, parse, rules
from frontdesk.config.settings import AlertSetting, ConfigError


@pytest.mark.parametrize(
    ("when", "measure", "unit", "limit"),
    [
        ("failed > 3%", AlertMeasure.FAILED, LimitUnit.SHARE, 3.0),
        ("FAILED>0.5 %", AlertMeasure.FAILED, LimitUnit.SHARE, 0.5),
        ("failed > 0", AlertMeasure.FAILED, LimitUnit.COUNT, 0.0),
        ("optOut > 1%", AlertMeasure.OPT_OUT, LimitUnit.SHARE, 1.0),
        ("opted out > 25", AlertMeasure.OPT_OUT, LimitUnit.COUNT, 25.0),
        ("duplicates > 5%", AlertMeasure.DUPLICATE, LimitUnit.SHARE, 5.0),
        ("throttled > 100/min", AlertMeasure.THROTTLED, LimitUnit.RATE, 100.0),
        ("too many requests > 100/min", AlertMeasure.THROTTLED, LimitUnit.RATE, 100.0),
        ("sent < 20/min", AlertMeasure.SENT, LimitUnit.RATE, 20.0),
        ("stalled", AlertMeasure.STALLED, LimitUnit.SECONDS, 60.0),
        ("stalled > 90s", AlertMeasure.STALLED, LimitUnit.SECONDS, 90.0),
        ("stalled > 2 min", AlertMeasure.STALLED, LimitUnit.SECONDS, 120.0),
        ("finished", AlertMeasure.FINISHED, LimitUnit.COUNT, 0.0),
        (" starts ", AlertMeasure.STARTS, LimitUnit.COUNT, 0.0),
    ],
)
def test_a_condition_is_read(when: str, measure: AlertMeasure, unit: LimitUnit, limit: float) -> None:
    assert parse(AlertSetting(when)) == AlertRule(measure, unit, limit, AlertSetting(when))


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ("", "expected something like"),
        ("failed", 'needs a limit, such as "failed > 3%"'),
        ("faild > 3%", "unknown value 'faild'; choose one of: failed, optOut"),
        ("failed < 3%", 'invalid comparison or unit; use something like "failed > 3%"'),
        ("failed > 3,5%", "expected something like"),
        ("failed > 3% and sent < 5/min", "expected something like"),
        ("failed > 100%", "a percentage must be below 100"),
        ("failed > 60s", 'invalid comparison or unit; use something like "failed > 3%"'),
        ("sent > 20/min", 'invalid comparison or unit; use something like "sent < 20/min"'),
        ("sent < 0/min", "above 0"),
        ("stalled > 0s", "above 0"),
        ("stalled > 60", 'invalid comparison or unit; use something like "stalled > 60s"'),
        ("finished > 3", "takes no limit"),
        ("failed > ٣%", "expected something like"),
    ],
)
def test_one_that_cannot_be_read_is_named_with_why(when: str, why: str) -> None:
    with pytest.raises(ConfigError) as refused:
        rules([AlertSetting("finished"), AlertSetting(when)])
    assert str(refused.value).startswith(f"settings.alerts[1].when: {when!r}: ")
    assert why in str(refused.value)


def test_an_alert_takes_the_place_of_those_built_in_on_the_same_thing() -> None:
    assert rules([]) == BUILT_IN
    found = rules([AlertSetting("failed > 5%", by=("bell",)), AlertSetting("failed > 100")])
    assert [each.key for each in found] == [
        "throttled > 3%",
        "stalled > 60s",
        "finished",
        "failed > 5%",
        "failed > 100",
    ]
    with pytest.raises(ConfigError, match=r"settings.alerts\[1\].*duplicate alert"):
        rules([AlertSetting("failed > 5%"), AlertSetting("Failed>5.0 %")])


@example("failed > 123456789")
@example("failed > 0.000001%")
@few
@given(
    st.text(max_size=40)
    | st.from_regex(r"[a-zA-Z ]{0,12} ?[<>]? ?[0-9.]{0,12} ?(%|/min|s|min|h)?", fullmatch=True)
)
def test_whatever_is_written_is_read_or_refused_in_words(when: str) -> None:
    try:
        rule = parse(AlertSetting(when))
    except RuleError:
        return
    assert parse(AlertSetting(rule.key)) == rule, "what it is known by says the same"
