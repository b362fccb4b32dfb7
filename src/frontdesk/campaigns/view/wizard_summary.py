"""What was decided of a campaign and what is missing, beside the wizard's steps."""

from collections.abc import Iterable, Iterator

from frontdesk.campaigns.audience.models import Audience
from frontdesk.campaigns.draft import Draft, FromFile, FromTags
from frontdesk.campaigns.view.audience import AudienceProgress, counts_summary
from frontdesk.campaigns.view.draft_test import DraftTestResult
from frontdesk.campaigns.view.wizard import CHECK, LIST, StepState, WizardStep, when_words
from frontdesk.config.facts import Fact, section
from frontdesk.config.render_context import RenderContext
from frontdesk.text.display_text import SafeText, show_label, show_line, trusted

MAX_COUNTRIES = 3


def summary_facts(
    draft: Draft,
    listed: AudienceProgress,
    steps: Iterable[WizardStep],
    short_id: str,
    test: DraftTestResult,
    view: RenderContext,
) -> Iterator[Fact]:
    """Tell the workflow, who gets it, when, what is still missing, and what came of a test.

    Args:
        short_id: of the workflow, if another has its name.
    """
    yield section("Summary", view)
    missing = [each.label for each in steps if each.state is not StepState.SET and each.key not in (CHECK, LIST)]
    yield Fact(
        "Runs", show_line(" ".join(filter(None, (draft.workflow_name or draft.workflow_id, short_id))), 160)
    )
    yield Fact("To", tuple(_people(draft, listed)))
    yield Fact("When", trusted(when_words(draft, view)))
    yield Fact("Missing", trusted(", ".join(missing) or "nothing; check it, then send it"))
    yield Fact("Test", test.words, test.role)


def _people(draft: Draft, listed: AudienceProgress) -> Iterator[SafeText]:
    if isinstance(draft.audience, FromTags):
        yield trusted("everyone with the chosen tags, number unknown")
    if not isinstance(draft.audience, FromFile):
        return
    if listed.audience is None:
        yield trusted("number of recipients unknown until the list is loaded")
        return
    yield counts_summary(listed.audience)
    yield from _countries(listed.audience)


def _countries(audience: Audience) -> Iterator[SafeText]:
    for each in audience.countries[:MAX_COUNTRIES]:
        yield show_label(f"{each.count:,} in {each.place}", 80)
    if more := audience.countries[MAX_COUNTRIES:]:
        yield trusted(f"{sum(each.count for each in more):,} in {len(more):,} more countries")
