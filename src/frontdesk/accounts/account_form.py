"""An account that is being set up: its questions, what was typed, what is wrong with it, and what its trial said.

`account_dialog` draws it and `login` asks line by line. Credentials are tried, and saved, only with addresses that
the person has confirmed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from frontdesk.config.credentials import (
    ENVIRONMENT,
    SecretError,
    check_origins,
    check_secret,
    describe_hidden_cookie_parts,
    public_ids,
    read_stored,
)
from frontdesk.config.demo import DEMO
from frontdesk.config.hosts import HOST_KEYS, check_url, environment_name, origins, parse_hosts
from frontdesk.config.settings import Profile, check_agent_id, check_name
from frontdesk.config.tables import ConfigError
from frontdesk.text.questions import Answers, Question, fault_of, table
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.hosts import Hosts
from frontdesk_lines.display_text import SafeText, show_line
from frontdesk_lines.lines import Role

if TYPE_CHECKING:
    from frontdesk.accounts.host_checks import HostCheck

BASE, OTHER_ADDRESSES = HOST_KEYS[0], HOST_KEYS[1:]
FIRST_NAME = "default"
"""The profile that is created without a name."""

OTHER_ACCOUNT = (
    "This looks like another account: it has none of the tasks that this profile has stored. "
    "To keep both, add it as a separate account."
)
MIX_ACCOUNTS = "Mix both accounts in one store?"


_SAME = "the same as the platform address"
_WHERE_AGENT_ID = (
    "To find your agent id, look at a task assigned to you: assignedAgentIds in `frontdesk tasks list --json`."
)


def _name_fault(name: str) -> str:
    if name == DEMO:
        return "this name is reserved for the demo; choose another"
    return fault_of(check_name)(name).partition(": ")[2]


def _address(key: str, label: str, asked: str, empty: str = _SAME) -> Question:
    return Question(
        key,
        label,
        asked,
        empty,
        fault_of(partial(check_url, where="")),
        name=asked.partition(" (")[0],
        is_required=key == BASE,
        option=f"--{key.replace('_', '-')}",
        variable=environment_name(key),
    )


def _secret(kind: str, label: str, asked: str, empty: str) -> Question:
    fault, needed = fault_of(partial(check_secret, kind)), kind != "bearer"
    return Question(
        kind, label, asked, empty, fault, is_required=needed, is_secret=True, variable=ENVIRONMENT[kind]
    )


_NAME = "required: a short name for this account, such as your company's"
_PLATFORM = "required: https://…; messages, tags and webhooks"
_COOKIE = "required: the Cookie header of your session, name=token"
_BEARER = "Bearer token, only for deleting webhooks (optional)"
_AGENT = "optional: without it, nothing counts as yours"

ACCOUNT = table(
    Question("name", "Profile name", "", _NAME, _name_fault, is_required=True),
    _address(BASE, "Platform address", "Platform address (messages, tags, webhooks)", _PLATFORM),
    _address("campaigns_url", "  for campaigns", "Address for campaigns"),
    _address("workflows_url", "  for workflows", "Address for workflows"),
    _address("business_url", "  for tasks", "Address for tasks"),
    _address("ai_url", "  for AI agents", "Address for AI agents"),
    _secret("cookie", "Cookie", "Cookie header (name=token)", _COOKIE),
    _secret("api_key", "x-api-key", "x-api-key", "required: the key that your administrator gave you"),
    _secret("bearer", "Bearer token", _BEARER, "optional: only for deleting webhooks"),
    Question(
        "agent_id",
        "Your agent id",
        "Your agent id (optional)",
        _AGENT,
        fault_of(partial(check_agent_id, remedy=_WHERE_AGENT_ID)),
        _WHERE_AGENT_ID,
        option="--agent-id",
    ),
)
"""In the order in which they are asked."""


class Verdict(Enum):
    """How far a field is known to be good, as its sign and role; only ACCEPTED is."""

    EMPTY = ("  ", Role.DIM)
    NOT_TRIED = ("○ ", Role.DIM)
    ANSWERED = ("○ ", Role.TEXT)
    ACCEPTED = ("✓ ", Role.GOOD)
    DOUBTFUL = ("! ", Role.WARN)
    WRONG = ("✗ ", Role.BAD)


@dataclass(frozen=True, slots=True)
class FieldStatus:
    """A verdict on a field and the words for it."""

    verdict: Verdict
    words: SafeText


def field_status(verdict: Verdict, words: str) -> FieldStatus:
    return FieldStatus(verdict, show_line(words, 300))


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
        is_other_account: whether the store of the account that is signed in to again is another one's.
    """

    checks: "Sequence[HostCheck]" = ()
    has_tasks: bool | None = None
    failure: str = ""
    is_other_account: bool = False

    @property
    def is_accepted(self) -> bool:
        """Whether the address that decides it took the credentials."""
        from frontdesk.accounts.host_checks import DECIDING, HostFault

        return any(each.key == DECIDING and each.fault is HostFault.NONE for each in self.checks)

    @property
    def failed(self) -> "list[HostCheck]":
        """The checks because of which the account can't be used."""
        from frontdesk.accounts.host_checks import failed_checks

        return failed_checks(self.checks)

    def failure_words(self) -> str:
        """Return why the account, as it was tried, can't be used; empty where it can."""
        from frontdesk.accounts.host_checks import failure_words

        return self.failure or failure_words(self.failed) or (OTHER_ACCOUNT if self.is_other_account else "")


@dataclass
class AccountForm(Answers):
    """The typed values and their trial.

    Attributes:
        taken: names that can't be used, each with the reason.
        environ: its credentials beat saved ones.
        confirmed: the origins that credentials may be sent to.
        missed: the required fields on which enter was pressed while they were empty.
        running: the trial that is on its way.
        tried: the trial that `result` is of.
        renews: the profile that is signed in to again, whose name and other settings stay; None for a new one.
        team_password: what is saved with it.
    """

    questions: Mapping[str, Question] = field(default_factory=lambda: ACCOUNT)
    taken: Mapping[str, str] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
    confirmed: frozenset[str] = frozenset()
    missed: frozenset[str] = frozenset()
    running: AccountTrial | None = None
    tried: AccountTrial | None = None
    result: TrialResult = TrialResult()
    renews: Profile | None = None
    team_password: Secret | None = None

    def fault(self, key: str) -> str:
        taken = self.taken.get(self.value(key), "") if key == "name" else ""
        return super().fault(key) or taken

    def hosts(self) -> Hosts | None:
        """Return the addresses; None while one can't be used."""
        try:
            return parse_hosts({key: self.value(key) for key in HOST_KEYS})
        except ConfigError:
            return None

    def credentials(self) -> CredentialSet | None:
        """Return the credentials; None while one is missing or can't be used."""
        kinds = [kind for kind in ENVIRONMENT if self.value(kind) or self.questions[kind].is_required]
        try:
            found: dict[str, Any] = {kind: check_secret(kind, self.value(kind)) for kind in kinds}
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
        agent_id = check_agent_id("" if self.fault("agent_id") else self.value("agent_id"))
        profile = replace(self.renews or Profile("trial", hosts), hosts=hosts, agent_id=agent_id)
        credentials = self.credentials() if origins(hosts) <= self.confirmed else None
        if credentials is None:
            return AccountTrial(profile, CredentialSet())
        return AccountTrial(profile, replace(credentials, public=public_ids(profile)))

    def is_tried(self) -> bool:
        """Whether the result is of what is typed now, credentials included."""
        return self.tried is not None and self.tried.has_credentials and self.tried == self.trial()

    def account(self) -> AccountTrial:
        """Return the profile and the credentials to save; only without a `first_fault`, and confirmed."""
        trial = self.trial()
        assert trial is not None
        assert trial.has_credentials
        return replace(trial, profile=replace(trial.profile, name=self.value("name")))

    def status(self, key: str) -> FieldStatus:
        question = self.questions[key]
        if fault := self.fault(key):
            return field_status(Verdict.WRONG, fault)
        if question.is_secret and self.environ.get(question.variable, "").strip():
            return field_status(Verdict.DOUBTFUL, f"{question.variable} is set and overrides what you save here")
        if not self.value(key):
            return field_status(Verdict.WRONG if key in self.missed else Verdict.EMPTY, question.empty)
        if key == "name":
            return field_status(Verdict.ACCEPTED, "free")
        if key in HOST_KEYS:
            return self._address_status(key)
        if key == "bearer":
            words = "not tried: only deleting a webhook would show whether it is accepted"
            return field_status(Verdict.NOT_TRIED, words)
        return self._agent_status() if key == "agent_id" else self._secret_status(key)

    def _address_status(self, key: str) -> FieldStatus:
        status = self._address_result(key)
        if key not in self.unconfirmed() or status.verdict is Verdict.WRONG:
            return status
        words = f"{status.words.text}; press enter to send your credentials to {_origin(self.value(key))}"
        return field_status(Verdict.DOUBTFUL, words)

    def _address_result(self, key: str) -> FieldStatus:
        from frontdesk.accounts.host_checks import HostFault

        hosts = self.hosts()
        if hosts is None or self.tried is None or self.tried.profile.hosts != hosts:
            return self._untried()
        if self.result.failure:
            return field_status(Verdict.WRONG, self.result.failure)
        # A field left empty means the base URL.
        own = {key} | ({each for each in OTHER_ADDRESSES if not self.value(each)} if key == BASE else set())
        checks = {each.key: each for each in self.result.checks if each.key in own}
        if wrong := [each for each in checks.values() if each.fault is HostFault.ADDRESS]:
            return field_status(Verdict.WRONG, _without_url(wrong[0]))
        faults = {each.fault for each in checks.values()}
        if HostFault.NONE not in faults:
            if HostFault.CREDENTIALS in faults:
                return field_status(Verdict.ANSWERED, "responds and asks for credentials")
            words = _without_url(next(iter(checks.values()))) if checks else "not tried yet"
            return field_status(Verdict.DOUBTFUL, words)
        refused = [_without_url(each) for each in checks.values() if each.fault is HostFault.REFUSED]
        more = f", but refuses a request: {refused[0]}" if refused else ""
        return field_status(Verdict.ACCEPTED, f"responds{more}")

    def _untried(self) -> FieldStatus:
        is_running = self.running is not None and self.running == self.trial()
        return field_status(Verdict.NOT_TRIED, "trying…" if is_running else "not tried yet")

    def _secret_status(self, key: str) -> FieldStatus:
        from frontdesk.accounts.host_checks import HostFault, secrets_in_doubt

        if why := self._why_not_tried():
            return field_status(Verdict.NOT_TRIED, f"not tried yet: {why}")
        if not self.is_tried():
            return self._untried()
        if self.result.is_accepted:
            hidden = describe_hidden_cookie_parts(self.account().credentials)
            return field_status(Verdict.ACCEPTED, f"accepted; {hidden}" if key == "cookie" else "accepted")
        refused = [each for each in self.result.checks if each.fault is HostFault.CREDENTIALS]
        if not refused:
            return field_status(Verdict.NOT_TRIED, "not tried: the address for tasks gave no answer")
        messages = {each.message for each in refused}
        reason = f": {'; '.join(sorted(messages - {''}))}" if messages - {""} else ""
        if key in secrets_in_doubt(messages):
            return field_status(Verdict.WRONG, f"refused{reason}")
        return field_status(Verdict.ANSWERED, "not verified yet")

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
            return field_status(Verdict.NOT_TRIED, "not tried: the tasks couldn't be loaded")
        if self.result.has_tasks:
            return field_status(Verdict.ACCEPTED, "tasks are assigned to it")
        return field_status(Verdict.DOUBTFUL, "no task is assigned to it; check that it is yours")


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
    reasons = dict.fromkeys(stores, "data of an old profile {} is here")
    reasons |= dict.fromkeys(profiles, "profile {} already exists")
    remedy = "choose another name, or run `frontdesk login {}`"
    return {name: f"{words}; {remedy}".format(name, name) for name, words in reasons.items()}


def _origin(url: str) -> str:
    (origin,) = origins(parse_hosts({BASE: url}))
    return origin


def _without_url(check: "HostCheck") -> str:
    return check.words.removeprefix(check.url).removeprefix(":").strip()
