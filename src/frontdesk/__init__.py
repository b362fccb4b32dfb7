"""frontdesk: a terminal inbox for a business messaging platform."""

from frontdesk_api.redaction import MAX_FORM_LETTERS, redact
from frontdesk_lines.secrets import set_secrets

__version__ = "0.1.0"

# Before any module of the program can show a text.
set_secrets(redact, MAX_FORM_LETTERS)
