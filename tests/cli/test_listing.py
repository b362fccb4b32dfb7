"""Lists and watching against a scripted platform: failures midway, repeated and broken items."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from api.client.fake_server import Platform, error, reply, task
from frontdesk.campaigns.cli import reports
from frontdesk.campaigns.cli.reports import watch_campaigns
from frontdesk.cli import session
from frontdesk_api import library
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError, InvalidPaging, NotFound, Refused, ServerError
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.tasks import TaskQuery


def page(*items: Any, cursor: Any = None) -> Any:
    body = {"dbObject": list(items), "hasMoreItemsToFetch": cursor is not None}
    return reply(body | ({} if cursor is None else {"lastEvaluatedKey": cursor}))


@pytest.fixture
def list_tasks(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def run(platform: Platform, *, as_json: bool, limit: int | None = None) -> None:
        def run_with_client(work: Callable[[PlatformClient], Awaitable[Any]]) -> Any:
            return platform.ask(work)

        monkeypatch.setattr(session, "run_with_client", run_with_client)
        session.print_pages(
            lambda client: client.iter_task_pages(TaskQuery()),
            limit=limit,
            as_json=as_json,
            identity=lambda one: one.taskId,
            headings=("TASK", "TITLE"),
            row=lambda item: (item.value.taskId, item.value.title),
            nothing="No tasks.",
        )

    return run


@pytest.mark.parametrize("as_json", [True, False])
def test_what_came_before_a_failure_is_printed(
    list_tasks: Callable[..., None], capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    with pytest.raises(Refused):
        list_tasks(Platform(page(task("t1"), cursor={"k": 1}), error(400)), as_json=as_json)
    assert "t1" in capsys.readouterr().out


def test_a_walk_that_cannot_be_finished_is_a_failure_after_its_rows(
    list_tasks: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InvalidPaging):
        list_tasks(Platform(page(task("t1"), cursor={"k": 1})), as_json=False)
    assert capsys.readouterr().out.count("t1") == 1


def test_an_item_that_comes_twice_is_printed_once_and_the_limit_stops_asking(
    list_tasks: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    platform = Platform(
        page(task("a"), task("b"), cursor={"k": 1}), page(task("b"), task("c"), task("d"), cursor={"k": 2})
    )
    list_tasks(platform, as_json=True, limit=3)
    assert [line[11] for line in capsys.readouterr().out.splitlines()] == ["a", "b", "c"]
    assert len(platform.requests) == 2


def test_an_unreadable_item_goes_on_whole_in_json_and_is_counted_for_people(
    list_tasks: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    list_tasks(Platform(page(task("a"), {"title": "no id"})), as_json=True)
    assert capsys.readouterr().out.splitlines() == ['{"taskId":"a"}', '{"title":"no id"}']
    list_tasks(Platform(page({"title": "no id"})), as_json=False)
    printed = capsys.readouterr()
    assert "1 more" in printed.err
    assert "No tasks" not in printed.out


def test_wide_and_right_to_left_text_stays_in_its_column(
    list_tasks: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    list_tasks(Platform(page(task("日本", title="x"), task("abcd", title="y"))), as_json=False)
    assert capsys.readouterr().out.splitlines() == ["TASK  TITLE", "日本  x", "abcd  y"]


class TestWatch:
    def watch(
        self, monkeypatch: pytest.MonkeyPatch, platform: Platform, *ids: str, every: float = 1, **options: bool
    ) -> int:
        passed = 0.0

        async def no_wait(seconds: float) -> None:
            nonlocal passed
            passed += seconds

        monkeypatch.setattr(reports.asyncio, "sleep", no_wait)
        wanted = [CampaignId(one) for one in ids]
        as_json = options.pop("as_json", False)
        status: int = platform.ask(
            lambda client: watch_campaigns(client, wanted, every, as_json, lambda: passed, **options)
        )
        return status

    def state(self, status: str, sent: int | None = None) -> Any:
        return reply({"id": "c", "status": status, **({} if sent is None else {"sentCount": sent})})

    def test_a_line_is_printed_only_when_something_moved(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        states = [("pending", None), ("pending", None), ("inProgress", 1), ("inProgress", 1), ("completed", 2)]
        self.watch(monkeypatch, Platform(*(self.state(*one) for one in states)), "c")
        lines = [line.split("  ", 1)[1] for line in capsys.readouterr().out.splitlines()]
        assert lines == ["c  pending", "c  inProgress  sent 1", "c  completed  sent 2"]

    def list_campaign(self, campaign_id: str, status: str, **fields: Any) -> dict[str, Any]:
        people = [{"phoneNumberId": f"97254{number:07}", "customerName": "Dana"} for number in range(5000)]
        told = {"status": status, "lastModified": 7, "fieldOfTomorrow": [1]}
        return {"id": campaign_id, "name": "Spring", "source": "excel", "customerList": people, **told, **fields}

    @pytest.mark.slow
    def test_the_recipients_are_in_the_first_line_of_json_and_in_no_later_one(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def answers(status: str, sent: int) -> list[dict[str, Any]]:
            tags = [{"id": "vip", "title": "VIP", "color": "gold", "associatedTo": "a"}] * 1000
            by_tags = {"id": "d", "source": "tags", "conversationTags": tags, "status": status, "sentCount": sent}
            return [self.list_campaign("c", status, sentCount=sent), by_tags]

        steps = [("pending", 0), *[("inProgress", sent) for sent in range(100)], ("completed", 100)]
        sent = [campaign for step in steps for campaign in answers(*step)]
        self.watch(monkeypatch, Platform(*map(reply, sent)), "c", "d", as_json=True)
        lines = capsys.readouterr().out.splitlines()
        rows = [json.loads(line) for line in lines]
        assert rows[:2] == sent[:2]
        assert len(rows) == len(sent)
        assert max(len(line.encode()) for line in lines[2:]) < 200
        dynamic = {"id": "c", "status": "completed", "lastModified": 7, "fieldOfTomorrow": [1], "sentCount": 100}
        assert rows[-2] == dynamic
        assert rows[-1] == {"id": "d", "status": "completed", "sentCount": 100}

    def test_every_line_of_json_is_whole_for_who_wants_that(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        sent = [self.list_campaign("c", status) for status in ("pending", "inProgress", "completed")]
        self.watch(monkeypatch, Platform(*map(reply, sent)), "c", as_json=True, whole=True)
        assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == sent

    def test_a_field_of_create_that_has_another_value_is_in_that_line_of_json(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        names = {"pending": "Spring", "inProgress": "Summer", "completed": "Summer"}
        sent = [self.list_campaign("c", status, name=name) for status, name in names.items()]
        self.watch(monkeypatch, Platform(*map(reply, sent)), "c", as_json=True)
        later = [json.loads(line) for line in capsys.readouterr().out.splitlines()][1:]
        assert [row.get("name") for row in later] == ["Summer", None]

    def test_a_platform_that_fails_for_a_while_is_said_once_and_watched_on(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        platform = Platform(error(503), error(503), self.state("completed"), retry=ONCE)
        self.watch(monkeypatch, platform, "c")
        printed = capsys.readouterr()
        assert printed.err.count("\n") == 1
        assert "completed" in printed.out

    @pytest.mark.parametrize(
        ("answer", "kind", "asked"), [(error(503), ServerError, 5), (error(404), NotFound, 1)]
    )
    def test_it_gives_up_when_nothing_else_helps(
        self, monkeypatch: pytest.MonkeyPatch, answer: Any, kind: type[ApiError], asked: int
    ) -> None:
        platform = Platform(answer, retry=ONCE)
        with pytest.raises(kind):
            self.watch(monkeypatch, platform, "c")
        assert len(platform.requests) == asked

    def test_one_round_without_an_answer_ends_nothing_however_many_are_watched(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        answers = [*[error(503)] * 6, error(503), *[self.state("completed")] * 6]
        assert self.watch(monkeypatch, Platform(*answers, retry=ONCE), *"cdefgh") == 0
        assert capsys.readouterr().err.count("\n") == 1

    def test_several_are_watched_until_the_last_has_ended(self, monkeypatch: pytest.MonkeyPatch) -> None:
        platform = Platform(self.state("completed"), self.state("inProgress"), self.state("failed"))
        self.watch(monkeypatch, platform, "c", "d")
        assert [request.url.path for request in platform.requests] == [
            "/campaigns/c",
            "/campaigns/d",
            "/campaigns/d",
        ]

    @pytest.mark.parametrize(
        ("ends", "status"),
        [
            (["completed", "completed"], 0),
            (["completed", "failed"], 1),
            (["stopped", "completed"], 1),
            (["failed", "stopped"], 1),
        ],
    )
    def test_it_ends_with_0_only_where_all_completed(
        self, monkeypatch: pytest.MonkeyPatch, ends: list[str], status: int
    ) -> None:
        assert self.watch(monkeypatch, Platform(*map(self.state, ends)), "c", "d") == status

    def test_a_stall_is_said_once_on_standard_error_and_again_after_something_moved(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        sent = [1, 1, 1, 1, 2, 2, 2, 3]
        states = [*(self.state("inProgress", each) for each in sent), self.state("completed", 3)]
        self.watch(monkeypatch, Platform(*states), "c", every=30)
        printed = capsys.readouterr()
        assert printed.err.splitlines() == ["frontdesk: c has stalled: no progress for 60 s; still watching"] * 2
        assert "stalled" not in printed.out

    def test_what_waits_for_its_time_has_not_stalled(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        states = [self.state("scheduled")] * 5 + [self.state("completed")]
        self.watch(monkeypatch, Platform(*states), "c", every=60)
        assert capsys.readouterr().err == ""


def test_the_pace_lets_a_second_of_requests_pass_and_then_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    from frontdesk_api.contract.endpoints import Host

    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    async def ask() -> None:
        pace = library.RequestPacer(10)
        for _ in range(13):
            await pace(Host.BASE)

    monkeypatch.setattr(library.time, "monotonic", lambda: 5.0)
    monkeypatch.setattr(library.asyncio, "sleep", note)
    asyncio.run(ask())
    assert waits == pytest.approx([0.1, 0.2, 0.3])
