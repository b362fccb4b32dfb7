"""Environment variables that frontdesk ignores on purpose, since they could send credentials elsewhere."""

from collections.abc import Iterator, Mapping

_SETTING_OF = {
    "HTTP_PROXY": "proxy",
    "HTTPS_PROXY": "proxy",
    "ALL_PROXY": "proxy",
    "NO_PROXY": "proxy",
    "REQUESTS_CA_BUNDLE": "ca_file",
    "CURL_CA_BUNDLE": "ca_file",
}


IGNORED_VARIABLES: Mapping[str, str] = {
    **{name: f"settings.{setting}" for name, setting in _SETTING_OF.items()},
    "NETRC": "frontdesk login",
}
"""The replacement of each variable: a setting or a command."""


def ignored_settings(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each variable that is set, in upper or lower case, and the setting to use instead.

    NO_PROXY and NETRC change nothing without a proxy or a login, so they aren't mentioned.
    """
    for name, setting in _SETTING_OF.items():
        for written in (name, name.lower()):
            if name != "NO_PROXY" and environ.get(written):
                yield written, setting
