"""What people at Acme Home and their customers write, in four languages.

Read by the seed for whole dialogues and by the crowd for what comes next.
"""

from frontdesk.sandbox.phrases import arabic, english, hebrew, spanish
from frontdesk.sandbox.phrases.script import Dialogue, Language

LANGUAGES: dict[str, Language] = {
    "en": english.LANGUAGE,
    "he": hebrew.LANGUAGE,
    "ar": arabic.LANGUAGE,
    "es": spanish.LANGUAGE,
}

__all__ = ["LANGUAGES", "Dialogue", "Language"]
