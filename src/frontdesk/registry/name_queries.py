"""The table in which features register their queries for ids and names, for completion."""

from collections.abc import Mapping

from frontdesk.campaigns.store import campaigns
from frontdesk.cli.completion import NameQuery, StoredKind
from frontdesk.inbox.store import conversations
from frontdesk.storage import record_lookup
from frontdesk.tasks import store as task_store

NAME_QUERIES: Mapping[StoredKind, NameQuery] = {
    StoredKind.TASK: task_store.names,
    StoredKind.CONVERSATION: conversations.names,
    StoredKind.CUSTOMER: conversations.customer_names,
    StoredKind.CAMPAIGN: campaigns.names,
    StoredKind.WORKFLOW: lambda db: record_lookup.names_of(db, record_lookup.WORKFLOW).items(),
    StoredKind.AI_AGENT: lambda db: record_lookup.names_of(db, record_lookup.AI_AGENT).items(),
}
