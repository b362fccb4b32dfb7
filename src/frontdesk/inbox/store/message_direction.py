"""What a message means for who waits: somebody wrote in, a person answered, or neither.

Pure. `threads` keeps the answer beside each message, so that waiting and unread are look-ups in an
index.
"""

from frontdesk.storage.records import Json

INCOMING = "in"
ANSWER = "answer"
NEITHER = ""

_NOBODY_SAID = ("note", "informative")
_NO_TALK = (*_NOBODY_SAID, "deleted")
"""Types that leave nobody waiting and answer nobody: said among us, by the platform, or taken back."""


def direction_of(raw: Json) -> str:
    """What a message says; bots, AI and campaigns do not end a customer's wait."""
    direction = raw.get("messageDirection")
    if raw.get("type") in _NO_TALK:
        return NEITHER
    if direction == "incoming":
        return INCOMING
    return ANSWER if direction == "outgoing" and raw.get("initiator") == "person" else NEITHER


def is_talk(raw: Json) -> bool:
    """Whether one of the two sides said it, so that a list may preview it."""
    return raw.get("type") not in _NOBODY_SAID
