"""What a message means for those who work the inbox: whether somebody waits, whether it was answered.

`threads` keeps the word beside each message, so that who waits is a look-up; no polls are needed for it.
"""

from frontdesk.store.records import Json

INCOMING = "in"
"""The customer said something."""

ANSWER = "answer"
"""A person answered: bots, AI and campaigns do not end a customer's wait."""

_NO_TALK = ("note", "informative")


def says(raw: Json) -> str:
    """What a message says in this sense: `INCOMING`, `ANSWER`, or nothing of the kind."""
    if not is_talk(raw):
        return ""
    if raw.get("messageDirection") == "incoming":
        return INCOMING
    if raw.get("messageDirection") == "outgoing" and raw.get("initiator") == "person":
        return ANSWER
    return ""


def is_talk(raw: Json) -> bool:
    """Whether the two sides said it: notes are ours alone, informative messages nobody's."""
    return raw.get("type") not in _NO_TALK
