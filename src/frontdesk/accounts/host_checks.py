"""One read from each of the platform's addresses, for `login` and `doctor`."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from frontdesk.cli.errors import CREDENTIALS, REFUSED, UNREACHABLE, with_wait
from frontdesk.config.hosts import LOGIN
from frontdesk.config.settings import HOST_KEYS
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError, CredentialsRefused, NotFound, RateLimited, Redirected, Refused
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import CampaignId, CustomerId, LineId
from frontdesk_api.contract.messages import MessageQuery
from frontdesk_api.contract.tasks import TaskQuery
from frontdesk_api.credentials import CredentialSet

if TYPE_CHECKING:
    from frontdesk.config.settings import Profile, Settings

NO_SUCH_ID = "frontdesk-doctor"
"""An id that no platform has: it is read where the interface has no list."""

DECIDING = "business_url"
"""The host whose answer decides whether the credentials are good; others may refuse for the account's plan."""

_REFUSES_UNKNOWN_IDS = frozenset({"base_url", "campaigns_url"})


class HostFault(Enum):
    """What a person has to correct."""

    NONE = "none"
    UNPROVEN = "unproven"
    ADDRESS = "address"
    CREDENTIALS = "credentials"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class HostCheck:
    """The result of one read.

    Attributes:
        key: of the profile, such as `campaigns_url`.
        status: the exit status; 0 without a fault.
        message: the platform's own words about refused credentials.
        clock_offset: of `PlatformClient`, by the responses of all reads.
    """

    key: str
    url: str
    fault: HostFault
    words: str
    status: int = 0
    message: str = ""
    clock_offset: float | None = None


def check_hosts(profile: "Profile", credentials: CredentialSet, settings: "Settings") -> list[HostCheck]:
    """Read once from each address; anonymously if the credentials are empty, to see whether something answers."""

    async def read_all() -> list[HostCheck]:
        async with PlatformClient(
            profile.hosts,
            credentials,
            retry=ONCE,
            ca_file=settings.ca_file,
            proxy=settings.proxy,
            is_anonymous=credentials == CredentialSet(),
            remedy=LOGIN,
        ) as client:
            checks = await asyncio.gather(*(_check_host(client, profile, key) for key in HOST_KEYS))
            checks = [replace(each, clock_offset=client.clock_offset) for each in checks]
            return [_with_proxy(each, settings.proxy) for each in _proven_elsewhere(checks)]

    return asyncio.run(read_all())


def _with_proxy(check: HostCheck, proxy: str | None) -> HostCheck:
    """Name the proxy that a failed read went through, without its password."""
    is_good = check.fault in (HostFault.NONE, HostFault.UNPROVEN)
    if is_good or not proxy or not check.url.startswith("https:"):
        return check
    place = urlsplit(proxy if "://" in proxy else f"//{proxy}").netloc.rpartition("@")[2]
    return replace(check, words=f"{check.words} (through settings.proxy, {place})")


def _proven_elsewhere(checks: Iterable[HostCheck]) -> Iterable[HostCheck]:
    """Trust a refusal from an address that has answered another read as the platform does."""
    found = list(checks)
    proven = {each.url for each in found if each.fault is HostFault.NONE}
    for each in found:
        if each.fault is HostFault.UNPROVEN and each.url in proven:
            yield replace(each, fault=HostFault.NONE, words=f"{each.url} responds")
        else:
            yield each


async def _check_host(client: PlatformClient, profile: "Profile", key: str) -> HostCheck:
    url = str(getattr(profile.hosts, key))
    line = next(iter(profile.lines), LineId(NO_SUCH_ID))
    campaign = next(iter(profile.watched_campaigns), CampaignId(NO_SUCH_ID))
    reads: dict[str, Callable[[], Awaitable[object]]] = {
        "base_url": lambda: client.get_messages(
            MessageQuery(phoneNumberId=line, targetPhoneNumberId=CustomerId(NO_SUCH_ID))
        ),
        "campaigns_url": lambda: client.get_campaign(campaign),
        "workflows_url": lambda: client.list_workflows(minimal=True),
        "business_url": lambda: client.list_tasks(TaskQuery(limit=1)),
        "ai_url": lambda: client.list_ai_agents(),
    }
    try:
        await reads[key]()
    except (CredentialsRefused, Redirected) as error:
        is_login = isinstance(error, CredentialsRefused)
        fault, status = (HostFault.CREDENTIALS, CREDENTIALS) if is_login else (HostFault.ADDRESS, UNREACHABLE)
        return HostCheck(key, url, fault, f"{url}: {error}", status, error.message or "")
    except Refused as error:
        return _check_refusal(key, url, error)
    except ApiError as error:
        return HostCheck(key, url, HostFault.ADDRESS, f"{url}: {error}", UNREACHABLE)
    return HostCheck(key, url, HostFault.NONE, f"{url} responds")


def _check_refusal(key: str, url: str, error: Refused) -> HostCheck:
    """Judge a refusal: other web servers refuse too, and only the platform's has an Error body."""
    if isinstance(error, RateLimited):
        return HostCheck(key, url, HostFault.REFUSED, f"{url}: {with_wait(error)}", UNREACHABLE)
    if error.error is None or error.message is None:
        words = f"{url} responded, but it doesn't look like the platform; check the address"
        return HostCheck(key, url, HostFault.ADDRESS, words, UNREACHABLE)
    if key in _REFUSES_UNKNOWN_IDS:
        words = f"{url} responded only with a refusal, so it may not be the platform; check the address"
        return HostCheck(key, url, HostFault.UNPROVEN, words)
    if isinstance(error, NotFound):  # a list is always there
        words = f"{url} doesn't know one of the platform's operations; check the address ({error.status})"
        return HostCheck(key, url, HostFault.ADDRESS, words, UNREACHABLE)
    return HostCheck(key, url, HostFault.REFUSED, f"{url}: {error}", REFUSED)


def failed_checks(checks: Sequence[HostCheck]) -> list[HostCheck]:
    """Return the checks because of which an account can't be used."""
    is_accepted = any(each.key == DECIDING and each.fault is HostFault.NONE for each in checks)
    failed = [each for each in checks if each.fault is HostFault.ADDRESS]
    if not is_accepted:
        failed += [each for each in checks if each.fault is HostFault.CREDENTIALS]
        failed += [each for each in checks if each.fault is HostFault.REFUSED and each.key == DECIDING]
    return failed


def failure_words(failed: Sequence[HostCheck]) -> str:
    """Return each address once, since all of them are usually one."""
    words = {each.url: each.words for each in failed if each.fault is not HostFault.CREDENTIALS}
    refused = [each for each in failed if each.fault is HostFault.CREDENTIALS]
    reasons = dict.fromkeys(each.message for each in refused if each.message)
    if refused:
        words[""] = "the credentials were refused" + (f" ({'; '.join(reasons)})" if reasons else "")
    return "; ".join(words.values())


def secrets_in_doubt(messages: Collection[str]) -> tuple[str, ...]:
    """Return which secrets the platform's words can mean: both, unless they name one only."""
    words = " ".join(messages).lower()
    if "key" in words and "cookie" in words:
        return ("cookie", "api_key")
    if "key" in words:
        return ("api_key",)
    return ("cookie",) if "cookie" in words else ("cookie", "api_key")
