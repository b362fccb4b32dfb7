"""The relay's guarantees hold, and the checks of them notice each fault that is planted into the schema."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from lab.sample import cases
from postgres_server import SCHEMA, Postgres, Team, new_team

from .guarantees import GUARANTEES

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class PlantedFault:
    """A change of the schema, each part as what stands there and what is put in its place."""

    name: str
    guarantee: str
    changes: Sequence[tuple[str, str]]

    def schema(self) -> str:
        schema = SCHEMA
        for old, new in self.changes:
            assert old in schema, old
            schema = schema.replace(old, new)
        return schema


STALE = "IF NOT FOUND THEN RAISE EXCEPTION 'stale leader' USING ERRCODE = 'FD001'; END IF;"
NO_CLAIM = "IF NOT FOUND THEN RAISE EXCEPTION 'no claim' USING ERRCODE = 'FD001'; END IF;"
LOCK = "PERFORM FROM frontdesk.accounts WHERE account = p FOR NO KEY UPDATE;"
POSITION = "pg_notify('frontdesk_' || p, pos::text)"

NOT_OBSERVED = "IF false THEN\n        RAISE EXCEPTION 'this is not observed"
DIGEST = " || jsonb_build_object('was',"
MY_OWN = "CREATE POLICY my_own ON"

FAULTS = [
    PlantedFault("no token check in observe", "stale_tokens_are_refused", [(STALE, "")]),
    PlantedFault(
        "a takeover keeps the token",
        "stale_tokens_are_refused",
        [("THEN l.token ELSE excluded.token END", "THEN l.token ELSE l.token END")],
    ),
    PlantedFault(
        "the leader's desk may be anybody's",
        "stale_tokens_are_refused",
        [("AND l.until > clock_timestamp() AND d.role = session_user", "AND l.until > clock_timestamp()")],
    ),
    PlantedFault(
        "everybody may poll", "only_pollers_lead", [("NOT (frontdesk.require_member(p, line)).may_poll", "false")]
    ),
    PlantedFault(
        "positions of a bare sequence",
        "positions_are_committed_in_their_order",
        [
            (LOCK, ""),
            (
                "CREATE SEQUENCE frontdesk.tokens;",
                "CREATE SEQUENCE frontdesk.tokens; CREATE SEQUENCE frontdesk.positions;",
            ),
            (
                "SELECT position INTO pos FROM frontdesk.accounts WHERE account = p;",
                "pos := nextval('frontdesk.positions') - 1;",
            ),
            (
                "SELECT position + 1 INTO pos FROM frontdesk.accounts WHERE account = p FOR NO KEY UPDATE;",
                "pos := nextval('frontdesk.positions');",
            ),
            ("UPDATE frontdesk.accounts SET position = pos WHERE account = p AND position <> pos;", "PERFORM 1;"),
            ("UPDATE frontdesk.accounts SET position = pos WHERE account = p;", ""),
        ],
    ),
    PlantedFault("no claim check in report", "reports_need_their_claim", [(NO_CLAIM, "")]),
    PlantedFault(
        "a claim of any task is enough",
        "reports_need_their_claim",
        [("AND c.target = (item->>'kind') || ' ' || (item->>'id')", "")],
    ),
    *(
        PlantedFault(f"a report may have another {what}", "reports_change_no_place", [(part, "")])
        for what, part in (
            ("line", " AND o.line_id = item->>'line'"),
            ("place", " AND frontdesk.place_of(o.body) = frontdesk.place_of(item->>'body')"),
            ("conversation", "body::jsonb->>'participantsIdentifiers', "),
            ("line in its body", ", body::jsonb->>'phoneNumberId'"),
            ("customer", ",\n        body::jsonb->'customer'->>'phoneNumberId'"),
            ("task in its body", "body::jsonb->>'taskId', "),
        )
    ),
    PlantedFault(
        "a report of what isn't observed",
        "reports_change_no_place",
        [("IF NOT FOUND THEN\n        RAISE EXCEPTION 'this is not observed", NOT_OBSERVED)],
    ),
    PlantedFault(
        "a report's own digest", "the_leader_corrects_reports", [(" || jsonb_build_object('digest',", DIGEST)]
    ),
    *(
        PlantedFault(f"{name} of any length", "nothing_fat_is_taken", [(part, "")])
        for name, part in (
            ("a desk's id", "PERFORM frontdesk.require_short(200, d);"),
            ("a published body", "octet_length(i->>'body') > 1000000\n            OR "),
            (
                "a published key",
                "\n            OR octet_length(concat(i->>'id', i->>'line', i->>'digest')) > 3000",
            ),
            ("a claim's target", "PERFORM frontdesk.require_short(1000, t);"),
            ("a reported body", "PERFORM frontdesk.require_short(1000000, item->>'body');"),
            ("a note's id", "PERFORM frontdesk.require_short(1000, i, line);"),
            ("an entry's line", "PERFORM frontdesk.require_short(1000, line);"),
        )
    ),
    PlantedFault(
        "what is shown may be of any length",
        "nothing_fat_is_taken",
        [("CASE WHEN g.may_poll THEN 1000000 ELSE 100000 END", "100000000")],
    ),
    *(
        PlantedFault(f"{what} is not counted", "nobody_writes_more_than_their_share", [(part, "")])
        for what, part in (
            ("a claim", "PERFORM frontdesk.spend(p, 0);"),
            ("a report", "PERFORM frontdesk.spend(p, octet_length(item->>'body'));"),
            ("a note", "PERFORM frontdesk.spend(p, octet_length(left(b, 50000)));"),
            (
                "an entry",
                "PERFORM frontdesk.spend(p, octet_length(left(before, 20000))"
                " + octet_length(left(after, 20000)));",
            ),
        )
    ),
    PlantedFault(
        "a quota of everybody",
        "nobody_writes_more_than_their_share",
        [("VALUES (p, session_user, date_trunc", "VALUES (p, 'all', date_trunc")],
    ),
    PlantedFault(
        "a quota for ever",
        "nobody_writes_more_than_their_share",
        [("CASE WHEN q.hour = excluded.hour THEN q.bytes ELSE 0 END", "q.bytes")],
    ),
    PlantedFault("any number of desks", "nobody_has_many_desks", [("OFFSET 19", "OFFSET 1000")]),
    PlantedFault(
        "desks that are gone show something",
        "nobody_has_many_desks",
        [
            (
                "AND NOT EXISTS (SELECT FROM frontdesk.desks k",
                "AND false AND NOT EXISTS (SELECT FROM frontdesk.desks k",
            )
        ],
    ),
    PlantedFault(
        "a claim always succeeds",
        "claims_have_one_winner",
        [("WHERE c.desk = d OR c.until <= clock_timestamp()\n", "")],
    ),
    PlantedFault(
        "text in the notice", "notices_hold_a_number", [(POSITION, "pg_notify('frontdesk_' || p, pos || ' t')")]
    ),
    PlantedFault(
        "notes of everybody",
        "notes_stay_their_authors",
        [("(s.role = session_user OR s.kind = 'read')", "true")],
    ),
    PlantedFault(
        "publications replace rows of any line",
        "rows_of_other_lines_are_not_replaced",
        [("AND frontdesk.has_line(p, o.line_id)", "")],
    ),
    PlantedFault(
        "read markers replace rows of any line",
        "rows_of_other_lines_are_not_replaced",
        [(" AND frontdesk.has_line(p, s.line_id)", "")],
    ),
    *(
        PlantedFault(
            f"no policy by line on {table}",
            "rows_of_other_lines_are_not_shown",
            [(MY_OWN, f"CREATE POLICY too_much ON frontdesk.{table} FOR SELECT USING (true); {MY_OWN}")],
        )
        for table in ("observed", "shared", "lookers", "claims")
    ),
    PlantedFault(
        "types are looked up among temporary ones first",
        "temporary_names_gain_nothing",
        [("SET search_path = pg_catalog, pg_temp", "SET search_path = pg_catalog")],
    ),
    PlantedFault(
        "tables are looked up in the caller's search path",
        "temporary_names_gain_nothing",
        [(" SET search_path = pg_catalog, pg_temp", ""), ("INTO g FROM frontdesk.grants", "INTO g FROM grants")],
    ),
]


@pytest.mark.parametrize("name", GUARANTEES)
async def test_the_schema_keeps_its_guarantee(team: Team, name: str) -> None:
    await GUARANTEES[name](team)


def test_each_guarantee_is_tried_with_a_fault() -> None:
    assert {fault.guarantee for fault in FAULTS} == GUARANTEES.keys()


@pytest.mark.lab
@pytest.mark.parametrize("fault", cases(FAULTS, 6), ids=lambda fault: fault.name)
async def test_a_planted_fault_is_noticed(postgres: Postgres, fault: PlantedFault) -> None:
    with new_team(postgres, fault.schema()) as team, pytest.raises((AssertionError, pytest.fail.Exception)):
        await GUARANTEES[fault.guarantee](team)
