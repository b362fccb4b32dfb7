"""Credentials from the environment or from credentials.toml, a file that only its owner can open."""

import contextlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from frontdesk.config.demo import CREDENTIALS
from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.hosts import origins
from frontdesk.config.paths import config_dir, make_private
from frontdesk.config.settings import Profile
from frontdesk.config.toml_edits import parse_toml, update_file
from frontdesk_api.credential_values import Grade, cookie_parts, credential_values
from frontdesk_api.credentials import HEADER, CredentialSet, Secret, remember
from frontdesk_api.redaction import KNOWN

ENVIRONMENT = {"cookie": "FRONTDESK_COOKIE", "api_key": "FRONTDESK_API_KEY", "bearer": "FRONTDESK_BEARER"}
"""The environment's variables (docs/configuration.md)."""

TEAM_PASSWORD = "team_password"
"""The key of the password of a profile's team: only for the team's database, so it is in no `CredentialSet`."""

TEAM_PASSWORD_VARIABLES = ("FRONTDESK_TEAM_PASSWORD", "PGPASSWORD")
"""Variables with the team's password, the first set one wins; programs that frontdesk starts get none of them."""

_PREFIXES = {"cookie": "cookie:", "api_key": "x-api-key:", "bearer": "bearer "}
_LONGEST = 8192
_TEAM_SERVER = "team_server"


class SecretError(ValueError):
    """Raised when a credential can't be used or its file isn't safe; the text never holds the value."""


@dataclass(frozen=True, slots=True)
class StoredCredentials:
    """A profile's credentials in the file.

    Attributes:
        secrets: by kind.
        origins: the origins they were entered for; empty in a file of an older version.
        team_server: the server that the password was entered for, as in `TeamSettings.server`.
    """

    secrets: Mapping[str, Secret] = field(default_factory=dict)
    origins: frozenset[str] = frozenset()
    team_password: Secret | None = None
    team_server: str = ""


def check_secret(kind: str, text: str) -> Secret:
    """Clean a typed or stored credential: strip it, remove a pasted header name.

    Raises:
        SecretError: the credential is empty, too long, or has a character that no header may have.
    """
    value = text.strip()
    if value[: len(_PREFIXES[kind])].lower() == _PREFIXES[kind]:
        value = value[len(_PREFIXES[kind]) :].strip()
    if not value:
        raise SecretError(f"the {HEADER[kind]} is empty")
    if len(value) > _LONGEST:
        raise SecretError(f"the {HEADER[kind]} is longer than {_LONGEST} characters")
    lowest = " " if kind == "cookie" else "!"
    if not all(lowest <= letter <= "~" for letter in value):
        found = "a line break" if kind == "cookie" else "a line break, a space"
        raise SecretError(
            f"the {HEADER[kind]} contains {found} or another character not allowed in "
            "a header; copy it again in one piece"
        )
    return Secret(value)


def check_team_password(text: str) -> Secret:
    """Clean a typed or stored password of a team.

    Raises:
        SecretError: the password is empty, too long, or has a line break or another control character.
    """
    value = text.strip()
    if not value or len(value) > _LONGEST:
        raise SecretError("the team password is empty" if not value else "the team password is too long")
    if not value.isprintable():
        raise SecretError("the team password contains a line break or another control character; copy it again")
    return Secret(value)


def credentials_path() -> Path:
    return config_dir() / "credentials.toml"


def load_credentials(profile: Profile, environ: Mapping[str, str], path: Path | None = None) -> CredentialSet:
    """Load the profile's credentials; a variable of the environment overrides the stored one.

    Stored credentials belong to the origins they were entered for: they aren't used for others, and if the
    environment names the hosts, only the environment's credentials are used.

    Raises:
        SecretError: a credential can't be used, the file is open to others, or the profile now has other hosts.
    """
    if profile.folder is not None:
        environ = {**environ, **CREDENTIALS}
    given = {kind: check_secret(kind, value) for kind, value in _given(environ).items()}
    stored = StoredCredentials()
    if len(given) < len(ENVIRONMENT) and not profile.hosts_from_environment:
        stored = read_stored(profile.name, path)
    used = {kind: secret for kind, secret in stored.secrets.items() if kind not in given}
    credentials = CredentialSet(**used, **given, public=public_ids(profile))
    remember(credentials)
    if used:
        check_origins(profile, stored.origins)
    return credentials


def load_team_password(profile: Profile, environ: Mapping[str, str], path: Path | None = None) -> Secret | None:
    """Load the password of the profile's team, from the environment or else the file; `None` if there is none.

    Raises:
        SecretError: the password can't be used or is for another server, or the file is open to others.
    """
    if profile.team is None:
        return None
    given, stored = given_team_password(environ), StoredCredentials()
    if given is None:
        stored = read_stored(profile.name, path)
    password = given or stored.team_password
    if password is not None:
        KNOWN.add([(TEAM_PASSWORD, password.reveal())])
    if password is not None and given is None:
        check_team_server(profile, stored.team_server)
    return password


def given_team_password(environ: Mapping[str, str]) -> Secret | None:
    """Return the team's password of the environment; `None` if it has none.

    Raises:
        SecretError: the password can't be used.
    """
    given = next((value for each in TEAM_PASSWORD_VARIABLES if (value := environ.get(each, "").strip())), "")
    return check_team_password(given) if given else None


def check_team_server(profile: Profile, entered_for: str) -> None:
    """Refuse a team's server that the profile's team password wasn't entered for.

    Raises:
        SecretError: the server is another one, or no password is stored.
    """
    server = profile.team.server if profile.team is not None else ""
    if server != entered_for:
        known = f"was entered for {entered_for}" if entered_for else "doesn't say which server it is for"
        raise SecretError(
            f"the team password of profile {profile.name} {known}, but the team is at {server}; to enter it for "
            f"that, run `frontdesk login {profile.name} --rotate`"
        )


def _given(environ: Mapping[str, str]) -> dict[str, str]:
    return {kind: value for kind, variable in ENVIRONMENT.items() if (value := environ.get(variable, "").strip())}


def check_origins(profile: Profile, entered_for: frozenset[str]) -> None:
    """Refuse hosts that the profile's credentials weren't entered for.

    Raises:
        SecretError: the profile has another origin, or no credentials are stored.
    """
    if not entered_for:
        raise SecretError(
            f"credentials.toml doesn't say which addresses the credentials of profile {profile.name} are for, "
            f"because you logged out or an older version saved them; to confirm them, run "
            f"`frontdesk login {profile.name}`"
        )
    if others := origins(profile.hosts) - entered_for:
        known, new = (", ".join(sorted(each)) for each in (entered_for, others))
        raise SecretError(
            f"the credentials of profile {profile.name} were entered for {known}, not for {new}; if you changed "
            f"the address, run `frontdesk login {profile.name}`"
        )


def describe_hidden_cookie_parts(credentials: CredentialSet) -> str:
    """Describe which parts of the Cookie are hidden, by their names: in all text, or in error messages only."""
    cookie = credentials.cookie.reveal() if credentials.cookie is not None else ""
    tokens, others = (
        ", ".join(name or "an unnamed part" for name in names)
        for names in cookie_parts(cookie, credentials.public)
    )
    hides = [f"{tokens} everywhere"] if tokens else []
    hides += [f"{others} in error messages only"] if others else []
    return f"frontdesk hides {', and '.join(hides) or 'nothing'}"


def short_words(credentials: CredentialSet) -> str:
    """Describe which of x-api-key and Bearer token are too short to be hidden everywhere; empty for none."""
    values = {kind: getattr(credentials, kind) for kind in ("api_key", "bearer")}
    short = [
        HEADER[kind]
        for kind, secret in values.items()
        if secret is not None
        and any(each.grade is not Grade.TOKEN for each in credential_values(kind, secret.reveal(), ()))
    ]
    if not short:
        return ""
    verb, them = ("is", "it") if len(short) == 1 else ("are", "them")
    return (
        f"the {' and the '.join(short)} {verb} too short to be recognized in all text: "
        f"if the platform repeats {them}, only error messages hide {them}"
    )


def remember_environment(environ: Mapping[str, str]) -> None:
    """Redact the environment's credentials, including unusable ones."""
    KNOWN.add(_given(environ).items())


class CredentialsWatch:
    """Watches for credentials that `frontdesk login` stores while this process runs, so that they are redacted."""

    def __init__(self, profile: Profile, environ: Mapping[str, str]) -> None:
        self._profile, self._environ = profile, environ
        self._seen_at: int | None = None

    def notice(self) -> None:
        """Load the file again if it has changed; leave errors in it to its users."""
        try:
            changed_at = credentials_path().stat().st_mtime_ns
        except OSError:
            changed_at = 0
        if changed_at == self._seen_at:
            return
        self._seen_at = changed_at
        for load in (load_credentials, load_team_password):
            with contextlib.suppress(SecretError):
                load(self._profile, self._environ)


def read_stored(name: str, path: Path | None = None) -> StoredCredentials:
    """Load a profile's credentials from the file, for any hosts.

    Raises:
        SecretError: a credential can't be used, or the file is open to others.
    """
    path = path or credentials_path()
    table = _read(path).get(name, {})
    texts = (*ENVIRONMENT, TEAM_PASSWORD, _TEAM_SERVER)
    if not isinstance(table, dict) or not all(isinstance(table.get(key, ""), str) for key in texts):
        raise SecretError(f"{path}: {name} must be a table of texts")
    secrets = {kind: check_secret(kind, table[kind]) for kind in ENVIRONMENT if kind in table}
    entered_for = table.get("origins", [])
    return StoredCredentials(
        secrets,
        frozenset(map(str, entered_for if isinstance(entered_for, list) else [])),
        check_team_password(table[TEAM_PASSWORD]) if TEAM_PASSWORD in table else None,
        table.get(_TEAM_SERVER, ""),
    )


def save_credentials(
    profile: Profile, credentials: CredentialSet, path: Path | None = None, team_password: Secret | None = None
) -> Path:
    """Store a profile's credentials in the file, mode 0600, with the addresses that they were entered for."""
    path = path or credentials_path()
    secrets = {kind: secret.reveal() for kind in ENVIRONMENT if (secret := getattr(credentials, kind)) is not None}
    if profile.team is not None:
        secrets |= {_TEAM_SERVER: profile.team.server}
    if profile.team is not None and team_password is not None:
        secrets |= {TEAM_PASSWORD: team_password.reveal()}
    _read(path)  # raises an error that a person can understand
    make_private(path.parent)
    if os.name == "posix":
        path.parent.chmod(0o700)
    table = {"origins": sorted(origins(profile.hosts)), **secrets}
    update_file(path, lambda content: content.update({profile.name: table}), is_secret=True)
    return path


def remove_credentials(name: str) -> bool:
    """Remove a profile's credentials from the file; return whether there were any.

    Raises:
        SecretError: the file can't be loaded, or is open to others.
    """
    if name not in _read(credentials_path()):
        return False
    update_file(credentials_path(), lambda content: content.pop(name), is_secret=True)
    return True


def public_ids(profile: Profile) -> frozenset[str]:
    """Return the ids of agents, lines and accounts that a profile names openly."""
    accounts = (tag.associated_to for tag in profile.tags)
    return frozenset(str(each) for each in (profile.agent_id, *profile.agents, *profile.lines, *accounts) if each)


def _read(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_own_file(path, is_secret=True))
    except FileNotFoundError:
        return {}
    except OpenToOthers as error:
        raise SecretError(str(error)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        # The parser's own message quotes the line, which contains the secret.
        raise SecretError(f"{path} isn't valid TOML; correct it, or delete it and run `frontdesk login`") from None
    except OSError as error:
        raise SecretError(f"{path} can't be read: {error.strerror}") from None
