"""PreflightDialog: what a campaign would do and the exact JSON; its name is typed to send it.

Enter alone sends nothing. Where something couldn't be checked, UncheckedDialog asks once more.
"""

from collections.abc import Callable, Sequence

from frontdesk.campaigns.preflight.models import PreflightFinding
from frontdesk.campaigns.view.wizard import sentence
from frontdesk.text.display_text import SafeText, trusted
from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.review import ReviewDialog, name_to_type

MAX_NAMED = 8
"""So many unchecked things are named in the dialog that confirms them; the preflight has all."""


class PreflightDialog(ReviewDialog):
    """Answers with True once the name was typed and unchecked errors were confirmed; no answer is a `Closed`."""

    def __init__(
        self,
        title: SafeText,
        draw: Callable[[int], Sequence[Line]],
        name: str,
        *,
        errors: int,
        unchecked: Sequence[PreflightFinding],
        warnings: int,
        whole: Callable[[], Sequence[SafeText]],
        draft: str = "",
    ) -> None:
        super().__init__(
            title,
            draw,
            _asks(name, errors, unchecked, warnings),
            does="send",
            typed=(name,),
            placeholder="Its name; once it was sent it can't be taken back",
            is_refused=bool(errors),
            whole=whole,
            draft=draft,
        )
        self._unchecked = tuple(unchecked)

    def done(self, value: bool) -> None:
        """Close with an answer; first ask about what couldn't be checked. After a no the name stays typed."""
        if value and self._unchecked and self.is_current:
            self.app.push_screen(UncheckedDialog(self._unchecked), self._confirmed)
        else:
            super().done(value)

    def _confirmed(self, answer: Answered[bool] | Closed | None) -> None:
        if isinstance(answer, Answered):
            super().done(True)


class UncheckedDialog(ConfirmDialog):
    """Asks once more, naming what couldn't be checked; "no" is the default."""

    takes_typed_ahead = False

    def __init__(self, unchecked: Sequence[PreflightFinding]) -> None:
        left_out = len(unchecked) - MAX_NAMED
        more = [trusted(f"And {left_out:,} more, which the page before this one lists.")] if left_out > 0 else []
        super().__init__(
            trusted("Send without these checks?"),
            trusted(_why_confirmed(unchecked)),
            [*(sentence(each.words) for each in unchecked[:MAX_NAMED]), *more],
            yes=trusted("Send unchecked"),
        )


def _why_confirmed(unchecked: Sequence[PreflightFinding]) -> str:
    what = "These checks failed to run"
    if any(each.is_outdated for each in unchecked):
        what = "The workflow has changed and wasn't checked since; these errors may still be there"
    return f"{what}. A campaign can't be stopped once it is sent:"


def _asks(name: str, errors: int, unchecked: Sequence[PreflightFinding], warnings: int) -> Line:
    if errors:
        what = "1 error keeps" if errors == 1 else f"{errors} errors keep"
        return (span(f"✗ {what} it from being sent: press esc and fix {_them(errors)}.", Role.BAD),)
    if unchecked:
        outdated = sum(each.is_outdated for each in unchecked)
        failed = len(unchecked) - outdated
        parts = [f"{failed} {'check' if failed == 1 else 'checks'} failed to run"] if failed else []
        if outdated:
            parts.append(f"{outdated} {'error' if outdated == 1 else 'errors'} may still be there")
        found = f"✗ {', '.join(parts)}: press esc and check again."
        asks = f"{found} To send it all the same, type its name and confirm: "
        return (span(asks, Role.BAD), name_to_type(name))
    read = f"{warnings} {'warning' if warnings == 1 else 'warnings'} to read. " if warnings else ""
    return (span(f"{read}To send it, type its name: ", Role.WARN), name_to_type(name))


def _them(count: int) -> str:
    return "it" if count == 1 else "them"
