"""The screens without a profile, for the pictures."""

from textual.screen import Screen

from frontdesk.app.account_dialog import AccountDialog
from frontdesk.app.account_form import AccountForm, TrialResult
from frontdesk.app.host_checks import HostCheck, HostFault
from frontdesk.app.setup_app import FirstRunDialog
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import HOST_KEYS
from frontdesk.storage.database import Store


def open_choice(app: FrontdeskApp, _: Store) -> None:
    app.push_screen(Screen())  # without a profile nothing is behind it
    app.push_screen(FirstRunDialog())


def open_account(app: FrontdeskApp, _: Store) -> None:
    """An account whose Cookie is refused."""
    typed = {"name": "acme", "base_url": "https://api.acme.example", "cookie": "token=1", "api_key": "1" * 20}
    form = AccountForm(typed=typed)
    form.confirm("base_url")
    form.tried = form.trial()
    url = typed["base_url"]
    words = "Unknown token in the Cookie."
    form.result = TrialResult([HostCheck(key, url, HostFault.CREDENTIALS, "", 0, words) for key in HOST_KEYS])
    app.push_screen(AccountDialog(form, lambda *_: None, is_default=True))
