"""Addresses of the platform's own pages, from templates in the profile: `https://…/tasks/{task}`.

The ids in them come from the platform, so each is encoded as one part of a path and none can choose the host.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from frontdesk.config.hosts import ConfigError

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


@dataclass(frozen=True, slots=True)
class WebPages:
    """The templates of a profile, by kind."""

    templates: Mapping[str, str] = field(default_factory=dict)

    def address(self, kind: str, ids: Mapping[str, str]) -> str:
        """Return the address of a record's page.

        Args:
            kind: of `PLACEHOLDERS`.
            ids: by placeholder; an unknown one is missing or empty.

        Raises:
            NoPage: the profile has no template of this kind, or an id is unknown or fits no address.
        """
        template = self.templates.get(kind)
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


def read_web_pages(value: object, where: str, problems: list[str]) -> WebPages:
    """Parse the `web_url` table of a profile; this raises nothing.

    Args:
        problems: gets a sentence with the reason for each skipped template.
    """
    if value is None:
        return WebPages()
    if not isinstance(value, dict):
        problems.append(f"{where}: expected a table of {', '.join(PLACEHOLDERS)}")
        return WebPages()
    templates: dict[str, str] = {}
    for kind, template in value.items():
        try:
            _check_template(kind, template, f"{where}.{kind}")
            templates[kind] = template
        except ConfigError as error:
            problems.append(f"{error}; this address is ignored")
    return WebPages(templates)


def _check_template(kind: str, template: object, here: str) -> None:
    if kind not in PLACEHOLDERS:
        raise ConfigError(f"{here}: unknown page; expected one of {', '.join(PLACEHOLDERS)}")
    if not isinstance(template, str):
        raise ConfigError(f"{here}: expected text")
    allowed = PLACEHOLDERS[kind]
    names = _PLACEHOLDER.findall(template)
    listed = ", ".join(f"{{{each}}}" for each in allowed)
    for name in names:
        if name not in allowed:
            raise ConfigError(f"{here}: unknown placeholder {{{name}}}; expected {listed}")
    rest = _PLACEHOLDER.sub("", template)
    if "{" in rest or "}" in rest:
        raise ConfigError(f"{here}: an unmatched brace; placeholders are {listed}")
    if not template.isascii() or not template.isprintable() or " " in template:
        raise ConfigError(f"{here}: use only printable ASCII without spaces; encode other characters (%20)")
    try:
        parts = urlsplit(template)
        host, user = parts.hostname, parts.username
    except ValueError:
        host = user = None
    if parts_problem := _address_problem(template, host, user):
        raise ConfigError(f"{here}: {parts_problem}")
    needed = _NEEDED.get(kind, (kind,))
    if not set(names) & set(needed):
        wanted = " or ".join(f"{{{each}}}" for each in needed)
        raise ConfigError(f"{here}: needs {wanted}; otherwise each {kind} has the same page")


def _address_problem(template: str, host: str | None, user: str | None) -> str:
    if not template.startswith(("https://", "http://")) or not host:
        return "expected an address that begins with https:// or http://"
    if user is not None:
        return "a user name or password can't be part of it"
    if "{" in template.split("/", 3)[2]:
        return "the host can't have a placeholder, because an id from the platform would then choose the host"
    return ""
