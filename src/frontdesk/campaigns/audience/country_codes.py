"""A country's ISO code as people write it; apart from `phone_numbers`, whose tables a screen doesn't load for
it."""

_ALSO = {"UK": "GB", "USA": "US", "UAE": "AE", "KSA": "SA"}


def iso_code(name: str) -> str:
    """What was said, in capitals, with the code that ISO has for a country that is often called otherwise."""
    code = name.strip().upper()
    return _ALSO.get(code, code)
