"""What a failure means for sending again, told by its type."""

import asyncio
from typing import Any

import httpx
import pytest

from api.client.fake_server import CREDENTIALS, HOSTS, Platform, error, reply, task
from frontdesk_api.client import errors
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import _OriginCredentials
from frontdesk_api.contract.endpoints import Credentials, Host
from frontdesk_api.contract.tasks import TaskUpdate
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts
from frontdesk_api.redaction import HIDDEN

DONE = reply({"task": task()})
PAGE = reply({"dbObject": [], "hasMoreItemsToFetch": False})


def read(client: PlatformClient) -> Any:
    return client.get_task("t1")


def write(client: PlatformClient) -> Any:
    return client.update_task("t1", TaskUpdate(title="x"))


def failure(platform: Platform, work: Any = read) -> errors.ApiError:
    with pytest.raises(errors.ApiError) as caught:
        platform.ask(work)
    return caught.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.Refused),
        (401, errors.CredentialsRefused),
        (403, errors.CredentialsRefused),
        (404, errors.NotFound),
        (409, errors.Conflict),
        (418, errors.Refused),
        (429, errors.RateLimited),
        (301, errors.Redirected),
        (307, errors.Redirected),
        (304, errors.Redirected),
        (500, errors.ServerError),
        (503, errors.ServerError),
        (408, errors.ServerError),
        (425, errors.ServerError),
    ],
)
def test_a_status_has_its_type_and_the_error_body_its_fields(status: int, kind: type[errors.HttpError]) -> None:
    caught = failure(Platform(error(status)), write)
    assert type(caught) is kind
    assert isinstance(caught, errors.HttpError)
    assert (caught.status, caught.error, caught.message) == (status, "slug", "because")
    assert "because" in str(caught)
    assert isinstance(caught, errors.Ambiguous) is (kind is errors.ServerError)


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b'{"error":1,"message":[]}', b'{"error', b"[" * 100_000])
def test_a_refusal_without_the_error_body_is_still_a_refusal(body: bytes) -> None:
    caught = failure(Platform(httpx.Response(400, content=body)))
    assert isinstance(caught, errors.Refused)
    assert (caught.error, caught.message) == (None, None)


def test_a_message_only_403_of_analytics_reset_is_the_plan() -> None:
    answer = reply({"message": "analytics require the Expert AI plan"}, 403)
    reset = lambda client: client.reset_workflow_analytics("w")  # noqa: E731
    assert type(failure(Platform(answer), reset)) is errors.PlanRequired
    assert type(failure(Platform(error(403)), reset)) is errors.CredentialsRefused
    assert type(failure(Platform(answer), read)) is errors.CredentialsRefused


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (httpx.ConnectError("x"), errors.NotSent),
        (httpx.ConnectTimeout("x"), errors.NotSent),
        (httpx.PoolTimeout("x"), errors.NotSent),
        (httpx.UnsupportedProtocol("x"), errors.NotSent),
        (httpx.WriteError("x"), errors.Ambiguous),
        (httpx.WriteTimeout("x"), errors.Ambiguous),
        (httpx.ReadTimeout("x"), errors.Ambiguous),
        (httpx.ReadError("x"), errors.Ambiguous),
        (httpx.RemoteProtocolError("x"), errors.Ambiguous),
    ],
)
def test_a_broken_connection_is_not_sent_or_perhaps_sent(raised: Exception, kind: type[errors.ApiError]) -> None:
    platform = Platform(raised)
    assert type(failure(platform, write)) is kind
    assert len(platform.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        httpx.ReadTimeout("x"),
        httpx.ConnectError("x"),
        error(500),
        error(503),
        error(408),
        error(429),
        httpx.Response(200, content=b"junk"),
    ],
)
def test_a_read_is_asked_three_times_and_a_write_once(answer: Any) -> None:
    reading, writing = Platform(answer), Platform(answer)
    failure(reading)
    failure(writing, write)
    assert (len(reading.requests), len(writing.requests)) == (3, 1)
    assert reading.slept == [0.5, 1.0]


@pytest.mark.parametrize(
    "work",
    [
        write,
        lambda c: c.assign_tags("c", ["t"]),
        lambda c: c.create_campaign({"id": "c"}),
        lambda c: c.create_workflow("w", "f", {"name": "n"}),
        lambda c: c.update_workflow("w", {}),
        lambda c: c.reset_workflow_analytics("w"),
        lambda c: c.delete_webhook("h"),
    ],
)
@pytest.mark.parametrize("answer", [error(503), httpx.ConnectError("x"), httpx.ReadError("x"), error(429)])
def test_no_write_is_ever_sent_twice(work: Any, answer: Any) -> None:
    platform = Platform(answer)
    failure(platform, work)
    assert len(platform.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 409, 302])
def test_a_refused_read_is_not_repeated(status: int) -> None:
    platform = Platform(error(status))
    failure(platform)
    assert len(platform.requests) == 1


def test_a_read_that_works_at_last_is_a_success() -> None:
    platform = Platform(error(503), httpx.ReadError("x"), DONE)
    assert platform.ask(read).value.taskId == "t1"


def test_retry_after_is_obeyed_and_a_long_one_is_left_to_the_caller() -> None:
    short, long = Platform(error(429, Retry_After="7"), DONE), Platform(error(429, Retry_After="3600"), DONE)
    short.ask(read)
    caught = failure(long)
    assert short.slept == [7.0]
    assert isinstance(caught, errors.RateLimited)
    assert caught.retry_after == 3600
    assert len(long.requests) == 1


def test_the_gate_is_awaited_before_every_request_repeats_included() -> None:
    passed: list[Host] = []

    async def gate(host: Host) -> None:
        passed.append(host)

    Platform(error(503), DONE, gate=gate).ask(read)
    assert passed == [Host.BUSINESS, Host.BUSINESS]


@pytest.mark.parametrize(
    "body",
    [
        b'{"task":{"taskId":"t1","x":NaN}}',
        b'{"task":Infinity}',
        b'"\xff\xfe',
        b"[" * 200_000,
        b"9" * 5000,
        b'{"task":null}',
        b"{}",
        b'{"task":{"title":"no id"}}',
        b"[]",
    ],
)
def test_a_success_that_cannot_be_read_is_a_bad_reply_and_ambiguous(body: bytes) -> None:
    caught = failure(Platform(httpx.Response(200, content=body)), write)
    assert type(caught) is errors.BadReply
    assert isinstance(caught, errors.Ambiguous)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'"\xff\xfe', "isn't UTF-8 text"),
        (b"{", "isn't valid JSON"),
        (b"[" * 200_000, "nested too deep"),
        (b"<html>", "something between you and business.test is answering (a login page?)"),
    ],
)
def test_an_answer_that_cannot_be_read_names_no_exception(body: bytes, why: str) -> None:
    said = str(failure(Platform(httpx.Response(200, content=body)), read))
    assert why in said
    assert "Error" not in said
    assert "if it keeps happening, check the host" in said


def test_lone_surrogates_become_the_replacement_character() -> None:
    answer = httpx.Response(200, content=b'{"task":{"taskId":"t1","title":"a\\ud800b","\\udfff":1}}')
    assert Platform(answer).ask(read).raw == {"taskId": "t1", "title": "a\ufffdb", "\ufffd": 1}


def test_an_answer_beyond_the_cap_is_given_up_while_it_streams() -> None:
    parts = 0

    async def endless(_request: httpx.Request) -> httpx.Response:
        async def stream() -> Any:
            nonlocal parts
            while True:
                parts += 1
                yield b" " * 1024 * 1024

        return httpx.Response(200, content=stream())

    platform = Platform(endless)
    caught = failure(platform)
    assert type(caught) is errors.ReplyTooLarge
    assert str(caught).startswith("get task: the response from business.test is larger than 1 MiB; ")
    assert parts == 2
    assert len(platform.requests) == 1


def test_a_compressed_answer_is_never_unpacked() -> None:
    answer = httpx.Response(200, content=b"", headers={"content-encoding": "br"})
    assert type(failure(Platform(answer))) is errors.BadReply


def test_a_hanging_request_ends_at_its_deadline_and_a_write_is_then_ambiguous() -> None:
    async def hang(_request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    caught = failure(Platform(hang, write_seconds=0.02), write)
    assert type(caught) is errors.Ambiguous


def test_a_cancelled_caller_never_cancels_a_write() -> None:
    answered = asyncio.Event()

    async def slow(_request: httpx.Request) -> httpx.Response:
        entered.set()
        await go_on.wait()
        answered.set()
        return DONE

    entered, go_on = asyncio.Event(), asyncio.Event()

    async def work(client: PlatformClient) -> None:
        waiting = asyncio.create_task(write(client))
        await entered.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        go_on.set()

    platform = Platform(slow)
    platform.ask(work)
    assert answered.is_set()


def test_many_cancelled_reads_leave_every_slot_free() -> None:
    async def slow(_request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0)
        return DONE

    async def work(client: PlatformClient) -> None:
        for _ in range(50):
            waiting = [asyncio.create_task(read(client)) for _ in range(6)]
            await asyncio.sleep(0)
            for one in waiting:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        assert await asyncio.wait_for(read(client), 5)

    Platform(slow).ask(work)


@pytest.mark.parametrize(
    ("given", "work"),
    [
        (CredentialSet(), read),
        (CredentialSet(cookie=Secret("a")), read),
        (CredentialSet(api_key=Secret("a"), bearer=Secret("b")), read),
        (CredentialSet(Secret("a"), Secret("b")), lambda c: c.delete_webhook("h")),
        (CredentialSet(bearer=Secret("b")), lambda c: c.delete_webhook("h")),
    ],
)
def test_without_all_its_credentials_an_operation_is_not_sent(given: CredentialSet, work: Any) -> None:
    platform = Platform(DONE, credentials=given)
    assert type(failure(platform, work)) is errors.CredentialsMissing
    assert platform.requests == []


@pytest.mark.parametrize(
    ("remedy", "missing", "refused"),
    [
        ("", "; set it", "the credentials were refused (401)"),
        (
            "run `desk login`",
            "; run `desk login` or set it",
            "the credentials were refused; run `desk login` (401)",
        ),
    ],
)
def test_what_to_do_about_credentials_is_the_programs(remedy: str, missing: str, refused: str) -> None:
    without_key = Platform(DONE, credentials=CredentialSet(cookie=Secret("a")), remedy=remedy)
    assert str(failure(without_key)) == f"not configured: x-api-key (FRONTDESK_API_KEY){missing}"
    assert str(failure(Platform(httpx.Response(401), remedy=remedy))).endswith(refused)


def test_a_redirect_is_not_followed_and_shows_no_credential_elsewhere() -> None:
    platform = Platform(reply({}, 307, Location="https://evil.test/"))
    failure(platform, write)
    assert [request.url.host for request in platform.requests] == ["business.test"]


@pytest.mark.parametrize(
    "url",
    ["https://evil.test/", "http://business.test/", "https://business.test:8443/", "https://business.test.evil/"],
)
def test_a_request_to_another_origin_gets_no_credential(url: str) -> None:
    for wanted in Credentials:
        auth = _OriginCredentials(httpx.URL("https://business.test/v1"), wanted, CREDENTIALS)
        for target, gets_some in ((url, False), ("https://business.test/x", True)):
            sent = next(auth.auth_flow(httpx.Request("GET", target)))
            assert bool({"authorization", "cookie", "x-api-key"} & {*sent.headers}) == gets_some


def test_cookies_that_the_platform_sets_are_not_sent_back() -> None:
    platform = Platform(reply({"task": task()}, Set_Cookie="session=evil; Path=/"), DONE)

    async def twice(client: PlatformClient) -> None:
        await read(client)
        await read(client)

    platform.ask(twice)
    assert platform.requests[1].headers.get_list("cookie") == ["token=canary-cookie"]


def test_no_error_text_holds_a_credential() -> None:
    answers: list[Any] = [
        *(error(status) for status in (302, 400, 401, 403, 404, 409, 429, 500)),
        httpx.Response(200, content=b"junk"),
        httpx.LocalProtocolError("Illegal header value b'canary-key'"),
        httpx.ConnectError("canary-key"),
        httpx.ReadTimeout("canary-cookie"),
    ]
    for answer in answers:
        caught = failure(Platform(answer), write)
        assert "canary" not in str(caught) + repr(caught)
        assert caught.__cause__ is None
        assert caught.__suppress_context__ or caught.__context__ is None


UNHEARD = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC")
"""Variables that could send credentials elsewhere."""


def test_the_environment_names_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in UNHEARD:
        monkeypatch.setenv(name, "socks5://127.0.0.1:1")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")

    async def work() -> None:
        async with PlatformClient(HOSTS, CREDENTIALS) as client:
            opened = client._transport._client(False, True)
            assert not opened.trust_env
            assert not opened._mounts, "a proxy would be mounted for some address"

    asyncio.run(work())


def test_plain_http_never_goes_through_a_proxy() -> None:
    async def work() -> None:
        async with PlatformClient(HOSTS, CREDENTIALS, proxy="http://127.0.0.1:1") as client:
            for is_write in (False, True):
                assert client._transport._client(True, is_write)._mounts
                assert not client._transport._client(False, is_write)._mounts

    asyncio.run(work())


@pytest.mark.parametrize("option", [{"ca_file": "/nowhere.pem"}, {"proxy": "socks9://x"}, {"proxy": "socks5://x"}])
def test_a_setting_that_cannot_be_used_is_named_and_nothing_is_sent(option: dict[str, str]) -> None:
    platform = Platform(DONE, transport=None, **option)
    assert f"settings.{next(iter(option))}" in str(failure(platform, write))


def test_a_write_that_contains_the_placeholder_of_a_credential_is_not_sent() -> None:
    platform = Platform(DONE)
    caught = failure(platform, lambda client: client.update_workflow("w", {"key": HIDDEN}))
    assert type(caught) is errors.BadRequestInput
    assert HIDDEN in str(caught)
    assert platform.requests == []


def test_a_list_that_is_not_found_has_no_id_that_could_be_wrong() -> None:
    def lists(client: PlatformClient) -> Any:
        return client.list_workflows(minimal=True)

    assert "check the host in your profile" in str(failure(Platform(error(404)), lists))
    assert "nothing with this id" in str(failure(Platform(error(404)), read))


class Recorder:
    """A server that notes every byte it gets, and answers nothing."""

    def __init__(self) -> None:
        self.got = b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while part := await reader.read(65_536):
            self.got += part
        writer.close()


@pytest.mark.parametrize(
    ("parts", "kind", "starts", "ends"),
    [(0, errors.NotSent, b"", b""), (1, errors.Ambiguous, b"PATCH /tasks/t1 ", b"\r\n\r\n")],
)
def test_a_process_that_may_no_longer_send_leaves_no_whole_request(
    parts: int, kind: type[errors.ApiError], starts: bytes, ends: bytes
) -> None:
    allowed = iter([True] * parts)

    async def story() -> None:
        recorder = Recorder()
        server = await asyncio.start_server(recorder.serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        hosts = Hosts(url, url, url, url, url)
        async with PlatformClient(hosts, CREDENTIALS, may_send=lambda: next(allowed, False)) as client:
            with pytest.raises(kind) as caught:
                await write(client)
            assert type(caught.value) is kind
        server.close()
        await server.wait_closed()
        assert recorder.got.startswith(starts)
        assert recorder.got.endswith(ends)
        assert bool(recorder.got) is bool(parts)

    asyncio.run(story())


class Reader(httpx.AsyncBaseTransport):
    """Reads a request part by part, and answers nothing."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.AsyncByteStream)
        async for part in request.stream:
            self.sizes.append(len(part))
        raise AssertionError("the whole request arrived")


def test_a_large_body_that_is_cut_by_a_stop_is_not_finished() -> None:
    allowed, reader = iter([True, True]), Reader()
    large = TaskUpdate(title="x" * 200_000)
    platform = Platform(DONE, transport=reader, may_send=lambda: next(allowed, False))
    assert type(failure(platform, lambda client: client.update_task("t1", large))) is errors.Ambiguous
    assert reader.sizes == [65_536, 65_536]
