"""Actions on campaigns, and on the screen that compares them."""

from frontdesk.config.actions import Group, Undo, key_action

DO, MOVE, VIEW = Group.DO, Group.MOVE, Group.VIEW
CAMPAIGNS, COMPARING = ("campaigns",), ("comparing",)

ACTIONS = (
    key_action(
        "campaign.one",
        "C",
        "run_workflow",
        "workflow",
        "Run a workflow for this customer: a campaign with one recipient",
        DO,
        ["inbox"],
        undo=Undo.UNTIL_SENT,
    ),
    key_action(
        "campaign.create",
        "c",
        "create",
        "create",
        "Create a campaign; checked first",
        DO,
        CAMPAIGNS,
        2,
        commands=("campaigns create",),
        undo=Undo.UNTIL_SENT,
    ),
    key_action(
        "campaign.watch",
        "w",
        "watch",
        "watch",
        "Watch a campaign by its id",
        DO,
        CAMPAIGNS,
        1,
        commands=("campaigns watch",),
    ),
    key_action(
        "campaign.compare",
        "=",
        "compare",
        "compare",
        "Compare the marked, or this with the one before it",
        DO,
        CAMPAIGNS,
        commands=("campaigns compare",),
    ),
    key_action(
        "campaign.write",
        "W",
        "write",
        "report",
        "Write the shift report, and samples of the marked",
        DO,
        ["campaigns", "comparing"],
        6,
        commands=("campaigns report",),
    ),
    key_action(
        "compare.back", "h left", "step(-1)", "earlier", "A little earlier since the start", MOVE, COMPARING, 1
    ),
    key_action("compare.on", "l right", "step(1)", "later", "A little later since the start", MOVE, COMPARING, 2),
    key_action("compare.far_back", "[", "step(-10)", "far back", "Ten times as far back", MOVE, COMPARING),
    key_action("compare.far_on", "]", "step(10)", "far on", "Ten times as far on", MOVE, COMPARING),
    key_action(
        "compare.newest", "n", "newest", "now", "Where the campaign is now, and along with it", MOVE, COMPARING, 5
    ),
    key_action(
        "compare.measure",
        "s",
        "measure",
        "sent, read…",
        "Curves of sent, delivered, read or failed",
        VIEW,
        COMPARING,
        3,
    ),
    key_action(
        "compare.share", "t", "of_total", "share", "Counts, or shares of all recipients", VIEW, COMPARING, 4
    ),
    key_action(
        "campaign.unwatch", "x", "unwatch", "unwatch", "Stop watching a campaign; it goes on", DO, CAMPAIGNS
    ),
    key_action(
        "campaign.outcomes",
        "E",
        "outcomes",
        "failures",
        "How a list's recipients fared, and why",
        DO,
        CAMPAIGNS,
        3,
        commands=("campaigns failures",),
    ),
)
