"""The service policies of a config: their filters are those of the inbox, which `service_clocks` doesn't know."""

import logging
from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

import apsw

from frontdesk.config import settings as config_settings
from frontdesk.config.demo import DEMO
from frontdesk.config.settings import Profile, Settings
from frontdesk.config.toml_edits import unknown_key, with_lines
from frontdesk.inbox import filter_words
from frontdesk.inbox.store import conversations
from frontdesk.service_clocks.monitor import ServiceClockMonitor
from frontdesk.service_clocks.policies import Policies, read_policies
from frontdesk.storage.database import ProfileStore, Store
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.display_text import SafeText, show_label

if TYPE_CHECKING:
    from frontdesk.metrics.promises import Promises

log = logging.getLogger("frontdesk.sync")


def load_policies(settings: Settings, profile: Profile) -> Policies:
    """Read the service policies for a profile; what is wrong with one is a sentence, and the others work."""
    if not settings.sla:
        return Policies()
    # A profile of the environment has no catalogue, so nothing says which statuses there are.
    statuses = () if profile.hosts_from_environment else profile.statuses
    names = {*settings.profile_names, profile.name, DEMO} if settings.profile_names else ()
    return read_policies(
        settings.sla, statuses, lambda written: filter_words.policy_fault(written, profile), profile.name, names
    )


def policy_warnings(policies: Policies) -> list[SafeText]:
    """Return what to say at the start of service clocks that can't be used."""
    found = [*policies.faults, *map(unknown_key, policies.unknown)]
    return [show_label(f"{each}.", 400) for each in with_lines(found, config_settings.config_path())]


def load_promises(store: ProfileStore) -> "tuple[Promises, str]":
    """Read the policies of a profile as the numbers need them, and a sentence where they can't be used."""
    policies = load_policies(store.settings, store.profile)
    from frontdesk.metrics.promises import Promises  # which the first paint doesn't need

    faults = with_lines(policies.faults, config_settings.config_path())
    return Promises(policies.all, partial(_matching, store.profile)), ". ".join(faults)


def make_monitor(store: Store, settings: Settings, profile: Profile) -> ServiceClockMonitor:
    """Make the engine's step that keeps the service clocks up to date."""
    policies = load_policies(settings, profile)
    for each in policies.faults:
        log.warning("%s", each)
    source = (settings.sla, profile.name, profile.lines, profile.agents, profile.tags, profile.statuses)
    return ServiceClockMonitor(store, policies.all, partial(_matching, profile), source)


def _matching(profile: Profile, db: apsw.Connection, written: str, ids: Collection[str]) -> set[str]:
    wanted = filter_words.wanted(filter_words.parse(written), profile, 0.0)
    return {str(each) for each in conversations.wanted_among(db, map(ConversationId, ids), wanted)}
