"""Addresses of the platform's own pages, from templates in the profile: `https://…/tasks/{task}`.

The ids in them come from the platform, so each is encoded as one part of a path and none can choose the host.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from frontdesk.config.tables import expect

PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "conversation": ("conversation", "line", "customer"),
    "task": ("task", "conversation", "line", "customer"),
    "campaign": ("campaign",),
    "workflow": ("workflow",),
}
"""The ids that a template of each kind may name; the page's own id or the customer's is required."""

_NEEDED = {"conversation": ("conversation", "customer")}
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class NoPage(Exception):
    """Raised when this page has no address; the text says why, without a full stop."""


def page_address(templates: Mapping[str, str], kind: str, ids: Mapping[str, str]) -> str:
    """Return the address of a record's page.

    Args:
        templates: of the profile, by kind.
        kind: of `PLACEHOLDERS`.
        ids: by placeholder; an unknown one is missing or empty.

    Raises:
        NoPage: the profile has no template of this kind, or an id is unknown or fits no address.
    """
    template = templates.get(kind)
    if template is None:
        raise NoPage(
            f"this profile has no address for the platform's page of a {kind}: set {kind} in its web_url"
            " (docs/configuration.md)"
        )

    def encoded(found: re.Match[str]) -> str:
        name = found[1]
        value = ids.get(name, "")
        if not value:
            raise NoPage(f"the {kind}'s address needs the {name}'s id, which isn't known here")
        if value in (".", ".."):  # a browser would resolve it in the path, even if encoded
            raise NoPage(f"the {name}'s id can't be part of an address")
        try:
            return quote(value, safe="")
        except UnicodeEncodeError:
            raise NoPage(f"the {name}'s id has an invalid character") from None

    return _PLACEHOLDER.sub(encoded, template)


def check_template(template: str, here: str) -> str:
    """Return a template of a kind, which its path ends with.

    Raises:
        ConfigError: it makes no address, or an id could choose its host.
    """
    kind = here.rpartition(".")[2]
    allowed = PLACEHOLDERS[kind]
    names = _PLACEHOLDER.findall(template)
    listed = ", ".join(f"{{{each}}}" for each in allowed)
    for name in names:
        expect(name in allowed, f"{here}: unknown placeholder {{{name}}}; expected {listed}")
    rest = _PLACEHOLDER.sub("", template)
    expect("{" not in rest and "}" not in rest, f"{here}: an unmatched brace; placeholders are {listed}")
    is_plain = template.isascii() and template.isprintable() and " " not in template
    expect(is_plain, f"{here}: use only printable ASCII without spaces; encode other characters (%20)")
    try:
        parts = urlsplit(template)
        host, user = parts.hostname, parts.username
    except ValueError:
        host = user = None
    problem = _address_problem(template, host, user)
    expect(not problem, f"{here}: {problem}")
    needed = _NEEDED.get(kind, (kind,))
    wanted = " or ".join(f"{{{each}}}" for each in needed)
    expect(bool({*names} & {*needed}), f"{here}: needs {wanted}; otherwise each {kind} has the same page")
    return template


def _address_problem(template: str, host: str | None, user: str | None) -> str:
    if not template.startswith(("https://", "http://")) or not host:
        return "expected an address that begins with https:// or http://"
    if user is not None:
        return "a user name or password can't be part of it"
    if "{" in template.split("/", 3)[2]:
        return "the host can't have a placeholder, because an id from the platform would then choose the host"
    return ""
