"""What was decided of a campaign and what is missing, beside the wizard's steps."""

from collections.abc import Iterable, Iterator

from frontdesk.campaigns.audience.models import Audience
from frontdesk.campaigns.draft import Draft, FromFile, FromTags
from frontdesk.campaigns.view.audience import AudienceProgress, counts_summary
from frontdesk.campaigns.view.draft_test import DraftTestResult
from frontdesk.campaigns.view.wizard import CHECK, LIST, StepState, WizardStep, when_words
from frontdesk.config.render_context import RenderContext
from frontdesk.text.display_text import SafeText, show_label, show_line, trusted
from frontdesk.text.lines import Line, heading, labelled

MAX_COUNTRIES = 3


def summary_lines(
    draft: Draft,
    listed: AudienceProgress,
    steps: Iterable[WizardStep],
    short_id: str,
    test: DraftTestResult,
    width: int,
    view: RenderContext,
) -> Iterator[Line]:
    """Yield the workflow, who gets it, when, what is still missing, and what came of a test.

    Args:
        short_id: of the workflow, if another has its name.
    """
    yield heading("Summary", width, view.glyphs)
    missing = [each.label for each in steps if each.state is not StepState.SET and each.key not in (CHECK, LIST)]
    for label, words in (
        ("Runs", show_line(" ".join(filter(None, (draft.workflow_name or draft.workflow_id, short_id))), 160)),
        *_people(draft, listed),
        ("When", trusted(when_words(draft, view))),
        ("Missing", trusted(", ".join(missing) or "nothing; check it, then send it")),
    ):
        if words:
            yield from labelled(label, words, width)
    yield from labelled("Test", test.words, width, test.role)


def _people(draft: Draft, listed: AudienceProgress) -> Iterator[tuple[str, SafeText]]:
    if isinstance(draft.audience, FromTags):
        yield "To", trusted("everyone with the chosen tags, number unknown")
    if not isinstance(draft.audience, FromFile):
        return
    if listed.audience is None:
        yield "To", trusted("number of recipients unknown until the list is loaded")
        return
    yield "To", counts_summary(listed.audience)
    yield from (("", each) for each in _countries(listed.audience))


def _countries(audience: Audience) -> Iterator[SafeText]:
    for each in audience.countries[:MAX_COUNTRIES]:
        yield show_label(f"{each.count:,} in {each.place}", 80)
    if more := audience.countries[MAX_COUNTRIES:]:
        yield trusted(f"{sum(each.count for each in more):,} in {len(more):,} more countries")
