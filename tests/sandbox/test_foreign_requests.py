"""Requests that a web page of somebody else may have sent are refused; those of programs aren't."""

import pytest

from frontdesk_sandbox.application import OwnNames, require_own_page
from frontdesk_sandbox.responses import Refusal
from sandbox.asking import ACCOUNT, Sandbox, assert_error_body

SERVER = ("192.168.1.5", 8787)
OWN = "localhost:8787"


NAMES = OwnNames("127.0.0.1")


def is_refused(names: OwnNames = NAMES, server: tuple[str, int] = SERVER, **headers: str) -> bool:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        require_own_page({"host": OWN} | given, server, names)
    except Refusal as refusal:
        return (refusal.status, refusal.error) == (403, "foreign_request")
    return False


FOREIGN_HOSTS = (
    *("evil.example:8787", "localhost.evil.example:8787", "127.0.0.1.evil.example", "localhost:x", "[::1]:x"),
    *("192.168.1.5:9000", "192.168.1.5", "127.999.1.1:8787", "1::1", "", "a:b:c"),
)


@pytest.mark.parametrize("host", [OWN, "LOCALHOST:8787", "127.0.0.1:8787", "[::1]:8787", "192.168.1.5:8787"])
def test_its_own_addresses_are_answered(host: str) -> None:
    assert not is_refused(host=host)


@pytest.mark.parametrize("host", ["localhost:9000", "localhost", "127.0.0.1:9000", "127.8.9.1:1", "[::1]:9000"])
def test_a_loopback_name_may_have_the_port_of_a_tunnel(host: str) -> None:
    assert not is_refused(host=host, origin=f"http://{host}", sec_fetch_site="same-origin")
    assert is_refused(host=host, origin=f"http://{OWN}")


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_name_that_was_pointed_here_is_refused(host: str) -> None:
    assert is_refused(host=host)


def test_names_given_by_an_option_are_answered() -> None:
    names = OwnNames("desk.local", ("Sandbox", "tunnel.example:9000"))
    assert not is_refused(names, host="desk.local:8787")
    assert not is_refused(names, host="sandbox:1234")
    assert not is_refused(names, host="tunnel.example:9000")
    assert is_refused(names, host="tunnel.example:9001")
    assert is_refused(names, host="desk.local:1")


def test_a_host_without_a_port_is_the_one_of_http() -> None:
    assert not is_refused(server=("192.168.1.5", 80), host="192.168.1.5")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "", "http://localhost:3000", "http://localhost"]
)
def test_another_origin_is_refused(origin: str) -> None:
    assert is_refused(origin=origin)


def test_its_own_origin_and_an_address_typed_by_hand_are_answered() -> None:
    assert not is_refused(origin=f"http://{OWN}", sec_fetch_site="same-origin")
    assert not is_refused(sec_fetch_site="none")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_the_browser_calls_another_site_is_refused(site: str) -> None:
    assert is_refused(sec_fetch_site=site)


FOREIGN_HEADERS = ({"Host": "evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"})


@pytest.mark.parametrize("foreign", FOREIGN_HEADERS)
def test_neither_controls_nor_the_interface_answer_it(sandbox: Sandbox, foreign: dict[str, str]) -> None:
    before = sandbox.get("/sandbox/health").json()["counts"]
    asked = [
        sandbox.post("/sandbox/advance", {"seconds": 9_000}, headers=ACCOUNT | foreign),
        sandbox.post("/sandbox/tasks", {}, headers=foreign),
        sandbox.put("/sandbox/faults", [{"path": "", "kind": "drop"}], headers=foreign),
        sandbox.get("/sandbox/requests", headers=foreign),
        sandbox.post("/tasks/list", {}, headers=ACCOUNT | foreign),
        sandbox.get("/openapi.json", headers=foreign),
    ]
    for answer in asked:
        assert_error_body(answer, 403)
    assert sandbox.get("/sandbox/faults").json() == []
    assert sandbox.get("/sandbox/health").json()["counts"] == before
