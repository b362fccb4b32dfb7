"""The team's address: what is taken, and what is refused because the connection wouldn't be checked."""

import ssl
from pathlib import Path

import pytest

from frontdesk.config.team import RelayAddress
from frontdesk.relay.connection import RelayRefused, parse_address, tls_context


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("postgresql://noa@db/frontdesk", RelayAddress("db", 5432, "noa", "frontdesk", False)),
        ("postgres://noa@db:5433/f?sslmode=verify-full", RelayAddress("db", 5433, "noa", "f", False)),
        ("postgresql://noa@db/f?sslrootcert=/ca.pem", RelayAddress("db", 5432, "noa", "f", False, "/ca.pem")),
        ("postgresql://noa@/f?host=/run/postgresql", RelayAddress("/run/postgresql", 5432, "noa", "f", True)),
        ("postgresql://noa@/f?host=%2Frun&port=6000", RelayAddress("/run", 6000, "noa", "f", True)),
        ("postgresql://noa@127.0.0.1/f?sslmode=disable", RelayAddress("127.0.0.1", 5432, "noa", "f", True)),
        ("postgresql://noa@/f?host=/run&sslmode=prefer", RelayAddress("/run", 5432, "noa", "f", True)),
        (
            "postgresql://noa@localhost/f?sslmode=verify-full",
            RelayAddress("localhost", 5432, "noa", "f", True, None, True),
        ),
        ("postgresql://noa@[::1]/f?sslrootcert=/ca", RelayAddress("::1", 5432, "noa", "f", True, "/ca", True)),
        ("postgresql://noa@[::1]/f", RelayAddress("::1", 5432, "noa", "f", True)),
        ("postgresql://noa@localhost/f", RelayAddress("localhost", 5432, "noa", "f", True)),
        ("postgresql://noa%40x@db/a%20b", RelayAddress("db", 5432, "noa@x", "a b", False)),
        ("postgresql://noa@/f", RelayAddress("", 5432, "noa", "f", True)),
    ],
)
def test_an_address_is_parsed(url: str, address: RelayAddress) -> None:
    assert parse_address(url) == address


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "not a database's address"),
        ("db/frontdesk", "not a database's address"),
        ("https://noa@db/frontdesk", "not a database's address"),
        ("postgresql://db/frontdesk", "not a database's address"),
        ("postgresql://noa@db", "not a database's address"),
        ("postgresql://noa@db/", "not a database's address"),
        ("postgresql://noa@[db/f", "not a URL"),
        ("postgresql://noa@db:port/f", "not a URL"),
        ("postgresql://noa@db/f?port=x", "port"),
        ("postgresql://noa:secret@db/f", "remove the password"),
        ("postgresql://noa@db/f?passfile=/x", "unknown option: passfile"),
        *(
            (f"postgresql://noa@db/f?sslmode={mode}", f"sslmode={mode}")
            for mode in ("disable", "prefer", "verify-ca")
        ),
        ("postgresql://noa@db/f?sslmode=verify-full&sslmode=disable", "sslmode=disable"),
        ("postgresql://noa@/f?host=db.example.org&sslmode=require", "sslmode=require"),
        ("postgresql://noa@localhost/f?host=db.example.org&sslmode=require", "sslmode=require"),
        ("postgresql://noa@127.0.0.1.example.org/f?sslmode=allow", "sslmode=allow"),
        ("postgresql://noa@localhost/f?sslmode=foo", "unknown sslmode=foo; use verify-full"),
        ("postgresql://noa@db/f?sslmode=foo", "unknown sslmode=foo; use verify-full"),
        ("postgresql://noa@localhost/f?sslmode=require", "only verify-full checks who answers"),
        ("postgresql://noa@localhost/f?sslmode=disable&sslrootcert=/ca", "sslrootcert needs sslmode=verify-full"),
        ("postgresql://noa@/f?host=/run&sslrootcert=/ca", "a socket on this machine has no TLS"),
        ("postgresql://noa@/f?host=/run&sslmode=verify-full", "a socket on this machine has no TLS"),
    ],
)
def test_an_address_is_refused_with_a_sentence(url: str, told: str) -> None:
    with pytest.raises(RelayRefused, match=told) as refused:
        parse_address(url)
    assert "secret" not in str(refused.value)


def test_only_a_local_address_is_used_without_tls() -> None:
    assert tls_context(parse_address("postgresql://noa@/f?host=/run")) is False
    context = tls_context(parse_address("postgresql://noa@db/f"))
    assert isinstance(context, ssl.SSLContext)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_the_name_of_an_address_is_its_host() -> None:
    assert parse_address("postgresql://noa@db/f").name == "db"
    assert parse_address("postgresql://noa@db:6000/f").name == "db:6000"
    assert parse_address("postgresql://noa@/f?host=/run&port=6000").name == str(Path("/run"))
