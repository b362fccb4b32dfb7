"""An account that is being set up: what was typed, what is wrong with it, and what its check said.

`account_dialog` draws it. Credentials are tried, and saved, only with addresses that the person has confirmed.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from frontdesk.config.credentials import (
    ENVIRONMENT,
    CredentialSet,
    Secret,
    SecretError,
    check_origins,
    check_secret,
    describe_hidden_cookie_parts,
    read_stored,
)
from frontdesk.config.demo import DEMO
from frontdesk.config.hosts import HOST_KEYS, Hosts, check_url, origins, parse_hosts
from frontdesk.config.settings import Profile, check_agent_id, check_name
from frontdesk.config.tables import ConfigError
from frontdesk.text.display_text import SafeText, show_line, trusted

if TYPE_CHECKING:
    from frontdesk.app.host_checks import HostCheck

BASE, OTHER_ADDRESSES = HOST_KEYS[0], HOST_KEYS[1:]
REQUIRED = ("name", BASE, "cookie", "api_key")
FIELDS = ("name", *HOST_KEYS, *ENVIRONMENT, "agent_id")
FIRST_NAME = "default"

_EMPTY_WORDS = {
    "name": "required: a short name for this account, such as your company's",
    BASE: "required: https://…; messages, tags and webhooks",
    "campaigns_url": "the same as the platform address",
    "workflows_url": "the same as the platform address",
    "business_url": "the same as the platform address",
    "ai_url": "the same as the platform address",
    "cookie": "required: the Cookie header of your session, name=token",
    "api_key": "required: the key that your administrator gave you",
    "bearer": "optional: only for deleting webhooks",
    "agent_id": "optional: without it, nothing counts as yours",
}


class Verdict(Enum):
    """How far a field is known to be good; only ACCEPTED is."""

    EMPTY = "empty"
    NOT_TRIED = "not tried"
    TRYING = "trying"
    ANSWERED = "answered"
    ACCEPTED = "accepted"
    DOUBTFUL = "doubtful"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class FieldStatus:
    """A verdict on a field and the words for it."""

    verdict: Verdict
    words: SafeText


@dataclass(frozen=True, slots=True)
class AccountTrial:
    """What is tried against the hosts: with credentials, or without where they mustn't be sent yet."""

    profile: Profile
    credentials: CredentialSet

    @property
    def has_credentials(self) -> bool:
        return not self.credentials.missing


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The result of a trial.

    Attributes:
        has_tasks: whether a task is assigned to the agent id; None if that is unknown.
        failure: why nothing could be tried; empty where it could.
        is_other_account: whether the store of the account that is signed in to again is another one's.
    """

    checks: "Sequence[HostCheck]" = ()
    has_tasks: bool | None = None
    failure: str = ""
    is_other_account: bool = False


@dataclass
class AccountForm:
    """The typed values and their check.

    Attributes:
        taken: names that can't be used, each with the reason.
        environ: its credentials beat saved ones.
        confirmed: the origins that credentials may be sent to.
        missed: the required fields on which enter was pressed while they were empty.
        running: the trial that is on its way.
        tried: the trial that `result` is of.
        renews: the profile that is signed in to again, whose name and addresses stay; None for a new one.
        team_password: what is saved with it.
    """

    taken: Mapping[str, str] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)
    confirmed: frozenset[str] = frozenset()
    missed: frozenset[str] = frozenset()
    running: AccountTrial | None = None
    tried: AccountTrial | None = None
    result: TrialResult = TrialResult()
    renews: Profile | None = None
    team_password: Secret | None = None

    def value(self, key: str) -> str:
        return self.typed.get(key, "").strip()

    def draft(self) -> str:
        """Return what was typed, without credentials, for `read_draft`."""
        return json.dumps({key: self.value(key) for key in FIELDS if key not in ENVIRONMENT and self.value(key)})

    def read_draft(self, draft: str) -> None:
        self.typed |= json.loads(draft) if draft else {}

    def fault(self, key: str) -> str:
        """Return what is wrong with a typed value; empty where nothing is, or nothing was typed."""
        value = self.value(key)
        if not value:
            return ""
        try:
            if key == "name":
                return self._name_fault(value)
            if key in HOST_KEYS:
                check_url(value, "address")
            elif key in ENVIRONMENT:
                check_secret(key, value)
            else:
                check_agent_id(value, remedy="It is in assignedAgentIds of a task that is assigned to you.")
        except (ConfigError, SecretError) as error:
            return str(error).removeprefix("address: ")
        return ""

    def first_fault(self) -> str | None:
        """Return the first field that keeps the account from being saved."""
        return next((key for key in FIELDS if self.fault(key) or self.is_missing(key)), None)

    def is_missing(self, key: str) -> bool:
        """Return whether a field is required and empty."""
        return key in REQUIRED and not self.value(key)

    def hosts(self) -> Hosts | None:
        """Return the addresses; None while one can't be used."""
        try:
            return parse_hosts({key: self.value(key) for key in HOST_KEYS})
        except ConfigError:
            return None

    def credentials(self) -> CredentialSet | None:
        """Return the credentials; None while one is missing or can't be used."""
        try:
            found: dict[str, Any] = {kind: check_secret(kind, self.value(kind)) for kind in ("cookie", "api_key")}
            if self.value("bearer"):
                found["bearer"] = check_secret("bearer", self.value("bearer"))
        except SecretError:
            return None
        return CredentialSet(**found)

    def confirm(self, key: str) -> None:
        """Let credentials be sent to the address of a field."""
        if self.value(key) and not self.fault(key):
            self.confirmed |= {_origin(self.value(key))}

    def unconfirmed(self) -> list[str]:
        """Return the fields whose address the person hasn't confirmed."""
        usable = [key for key in HOST_KEYS if self.value(key) and not self.fault(key)]
        return [key for key in usable if _origin(self.value(key)) not in self.confirmed]

    def trial(self) -> AccountTrial | None:
        """Return what can be tried now; None without usable addresses."""
        hosts = self.hosts()
        if hosts is None:
            return None
        agent = self.value("agent_id") if not self.fault("agent_id") else ""
        profile = Profile("trial", hosts, agent_id=check_agent_id(agent))
        may_send = origins(hosts) <= self.confirmed
        return AccountTrial(profile, (self.credentials() if may_send else None) or CredentialSet())

    def is_tried(self) -> bool:
        """Whether the result is of what is typed now, credentials included."""
        return self.tried is not None and self.tried.has_credentials and self.tried == self.trial()

    def profile(self) -> Profile:
        """Return the profile to save; only without a `first_fault`."""
        agent_id = check_agent_id(self.value("agent_id"))
        if self.renews is not None:
            return replace(self.renews, agent_id=agent_id)
        hosts = self.hosts()
        assert hosts is not None
        return Profile(self.value("name"), hosts, agent_id=agent_id)

    def status(self, key: str) -> FieldStatus:
        if fault := self.fault(key):
            return FieldStatus(Verdict.WRONG, show_line(fault, 300))
        if key in ENVIRONMENT and self.environ.get(ENVIRONMENT[key], "").strip():
            return FieldStatus(
                Verdict.DOUBTFUL, trusted(f"{ENVIRONMENT[key]} is set and overrides what you save here")
            )
        if not self.value(key):
            verdict = Verdict.WRONG if key in self.missed else Verdict.EMPTY
            return FieldStatus(verdict, trusted(_EMPTY_WORDS[key]))
        if key == "name":
            return FieldStatus(Verdict.ACCEPTED, trusted("free"))
        if key in HOST_KEYS:
            return self._address_status(key)
        if key == "bearer":
            words = "not tried: only deleting a webhook would show whether it is accepted"
            return FieldStatus(Verdict.NOT_TRIED, trusted(words))
        return self._agent_status() if key == "agent_id" else self._secret_status(key)

    def _name_fault(self, name: str) -> str:
        if name == DEMO:
            return "this name is reserved for the demo; choose another"
        try:
            check_name(name)
        except ConfigError as error:
            return str(error).partition(": ")[2]
        return self.taken.get(name, "")

    def _address_status(self, key: str) -> FieldStatus:
        status = self._address_result(key)
        if key not in self.unconfirmed() or status.verdict is Verdict.WRONG:
            return status
        words = f"{status.words.text}; press enter to send your credentials to {_origin(self.value(key))}"
        return FieldStatus(Verdict.DOUBTFUL, show_line(words, 300))

    def _address_result(self, key: str) -> FieldStatus:
        from frontdesk.app.host_checks import HostFault

        hosts = self.hosts()
        if hosts is None or self.tried is None or self.tried.profile.hosts != hosts:
            return self._untried()
        if self.result.failure:
            return FieldStatus(Verdict.WRONG, show_line(self.result.failure, 300))
        # A field left empty means the base URL.
        own = {key} | ({each for each in OTHER_ADDRESSES if not self.value(each)} if key == BASE else set())
        checks = {each.key: each for each in self.result.checks if each.key in own}
        if wrong := [each for each in checks.values() if each.fault is HostFault.ADDRESS]:
            return FieldStatus(Verdict.WRONG, show_line(_without_url(wrong[0]), 300))
        faults = {each.fault for each in checks.values()}
        if HostFault.NONE not in faults:
            if HostFault.CREDENTIALS in faults:
                return FieldStatus(Verdict.ANSWERED, trusted("responds and asks for credentials"))
            words = _without_url(next(iter(checks.values()))) if checks else "not tried yet"
            return FieldStatus(Verdict.DOUBTFUL, show_line(words, 300))
        refused = [_without_url(each) for each in checks.values() if each.fault is HostFault.REFUSED]
        more = f", but refuses a request: {refused[0]}" if refused else ""
        return FieldStatus(Verdict.ACCEPTED, show_line(f"responds{more}", 300))

    def _untried(self) -> FieldStatus:
        if self.running is not None and self.running == self.trial():
            return FieldStatus(Verdict.TRYING, trusted("trying…"))
        return FieldStatus(Verdict.NOT_TRIED, trusted("not tried yet"))

    def _secret_status(self, key: str) -> FieldStatus:
        from frontdesk.app.host_checks import DECIDING, HostFault, secrets_in_doubt

        if why := self._why_not_tried():
            return FieldStatus(Verdict.NOT_TRIED, trusted(f"not tried yet: {why}"))
        if not self.is_tried():
            return self._untried()
        checks = {each.key: each for each in self.result.checks}
        deciding = checks.get(DECIDING)
        if deciding is not None and deciding.fault is HostFault.NONE:
            more = (
                f"; {describe_hidden_cookie_parts(self.credentials() or CredentialSet())}"
                if key == "cookie"
                else ""
            )
            return FieldStatus(Verdict.ACCEPTED, show_line(f"accepted{more}", 300))
        refused = [each for each in checks.values() if each.fault is HostFault.CREDENTIALS]
        if not refused:
            return FieldStatus(Verdict.NOT_TRIED, trusted("not tried: the address for tasks gave no answer"))
        messages = {each.message for each in refused}
        reason = f": {'; '.join(sorted(messages - {''}))}" if messages - {""} else ""
        if key in secrets_in_doubt(messages):
            return FieldStatus(Verdict.WRONG, show_line(f"refused{reason}", 300))
        return FieldStatus(Verdict.ANSWERED, trusted("not verified yet"))

    def _why_not_tried(self) -> str:
        if self.hosts() is None:
            return "an address is missing or wrong"
        if self.unconfirmed():
            return "confirm the address first: press enter on it"
        return "the Cookie and the x-api-key are tried together" if self.credentials() is None else ""

    def _agent_status(self) -> FieldStatus:
        if not self.is_tried():
            return self._untried()
        if self.result.has_tasks is None:
            return FieldStatus(Verdict.NOT_TRIED, trusted("not tried: the tasks couldn't be loaded"))
        if self.result.has_tasks:
            return FieldStatus(Verdict.ACCEPTED, trusted("tasks are assigned to it"))
        return FieldStatus(Verdict.DOUBTFUL, trusted("no task is assigned to it; check that it is yours"))


def renewal_form(profile: Profile, environ: Mapping[str, str]) -> AccountForm:
    """Make a form with everything that is saved of a profile, but its Cookie.

    Raises:
        SecretError: the saved credentials can't be read, or are for other addresses.
    """
    stored = read_stored(profile.name)
    check_origins(profile, stored.origins)
    typed = {"name": profile.name, BASE: profile.hosts.base_url, "agent_id": profile.agent_id or ""}
    typed |= {key: url for key in OTHER_ADDRESSES if (url := getattr(profile.hosts, key)) != typed[BASE]}
    typed |= {kind: each.reveal() for kind, each in stored.secrets.items() if kind != "cookie"}
    return AccountForm(
        environ=environ,
        typed=typed,
        confirmed=frozenset(stored.origins),
        renews=profile,
        team_password=stored.team_password,
    )


def taken_names(profiles: Collection[str], stores: Collection[str]) -> dict[str, str]:
    """Return the names that can't be used, with the reasons.

    Args:
        profiles: of the config; `stores` have a folder of data.
    """
    left = {
        name: f"data of an old profile {name} is here; choose another name, or run `frontdesk login {name}`"
        for name in stores
    }
    there = {
        name: f"profile {name} already exists; choose another name, or run `frontdesk login {name}`"
        for name in profiles
    }
    return left | there


def _origin(url: str) -> str:
    (origin,) = origins(parse_hosts({BASE: url}))
    return origin


def _without_url(check: "HostCheck") -> str:
    return check.words.removeprefix(check.url).removeprefix(":").strip()
