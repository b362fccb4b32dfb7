"""Customers: a name in a language, an id as their platform gives it, and the object a task shows.

Called by the rest of the seed. Numbers lie in ranges made up here; nobody is meant.
"""

from dataclasses import dataclass
from random import Random
from typing import Any

from frontdesk.sandbox.fixtures import ACCOUNT, Line
from frontdesk.sandbox.phrases import LANGUAGES
from frontdesk.sandbox.utterances import Voice

COUNTRIES = {"en": "GB", "he": "IL", "ar": "IL", "es": "ES"}
_ISRAELI_PREFIXES = ("50", "52", "53", "54", "58")


@dataclass(frozen=True, slots=True)
class SeededCustomer:
    """A customer."""

    id: str
    name: str
    language: str
    platform: str
    phone: str | None

    def voice(self, line: Line) -> Voice:
        """The conversation of this person on a line."""
        return Voice(ACCOUNT, line.id, line.platform, self.id, self.name, self.language)


def make_person(chance: Random, number: int, language: str, platform: str) -> SeededCustomer:
    """The customer with this running number; two numbers never give one id."""
    spoken = LANGUAGES[language]
    first = spoken.first_names[int(chance.random() * len(spoken.first_names))]
    last = spoken.last_names[int(chance.random() * len(spoken.last_names))]
    name = f"{first} {last}"
    if platform == "whatsapp":
        digits, phone = _phone(language, number)
        return SeededCustomer(digits, name, language, platform, phone)
    scattered = number * 7_919 % 100_003
    if platform == "instagram":
        return SeededCustomer(f"1784140{scattered:010d}", name, language, platform, None)
    if platform == "facebookMessenger":
        return SeededCustomer(f"68{scattered * 31:014d}", name, language, platform, None)
    return SeededCustomer(f"visitor-{scattered:06x}", name, language, platform, None)


def customer_object(
    person: SeededCustomer, created_ms: int, last_active_ms: int, chance: Random
) -> dict[str, Any]:
    """`customer` of a task (docs/interface.md, Task)."""
    handle = f"{person.platform[:2]}{person.id[-6:]}"
    shown: dict[str, Any] = {
        "profileImage": "",
        "customerName": person.name,
        "customerNickname": f"@{handle}" if person.platform == "instagram" else "",
        "description": _DESCRIPTIONS[int(chance.random() ** 3 * len(_DESCRIPTIONS))],
        "createdAt": created_ms,
        "lastActiveAt": last_active_ms,
        "email": f"{handle}@mail.example" if chance.random() < 0.4 else "",
        "platform": person.platform,
        "phoneNumberId": person.id,
        "associatedTo": ACCOUNT,
    }
    if person.phone is not None:
        shown |= {"countryCode": COUNTRIES[person.language], "parsedPhoneNumber": person.phone}
    return shown


def _phone(language: str, number: int) -> tuple[str, str]:
    block, place = divmod(number, 100_000)
    rest = f"{place * 7_919 % 100_000:05d}"
    if language == "es":
        digits = f"6{55 + block % 40:02d}0{rest}"
        return f"34{digits}", f"+34 {digits[:3]} {digits[3:6]} {digits[6:]}"
    if language == "en":
        digits = f"7{700 + block % 200:03d}9{rest}"
        return f"44{digits}", f"+44 {digits[:4]} {digits[4:]}"
    prefix = _ISRAELI_PREFIXES[number % 5]
    digits = f"{5 if language == 'he' else 6}{block % 10}{rest}"
    return f"972{prefix}{digits}", f"+972 {prefix}-{digits[:3]}-{digits[3:]}"


_DESCRIPTIONS = (
    "",
    "Prefers messages to calls.",
    "Buys for an office; invoices go to accounting.",
    "Lives on the third floor, no lift.",
    "Wholesale customer since the first year.",
    "Please write in English or Hebrew.",
)
