"""A list of those recipients of a campaign that fared in some way, as a file for a new campaign.

`Desk` runs it beside the screen: it reads the whole list of the campaign.
"""

from collections.abc import Collection
from pathlib import Path

import apsw

from frontdesk.campaigns.outcomes import Outcome, Tally
from frontdesk.campaigns.recipients import as_csv, listed
from frontdesk.contract.ids import CampaignId
from frontdesk.desk.new_files import write_new
from frontdesk.store import loose, outcomes
from frontdesk.store.records import OutcomeGroup


def save_list(db: apsw.Connection, campaign_id: CampaignId, groups: Collection[OutcomeGroup], path: Path) -> int:
    """Write those of these groups into a new file, in the order of the campaign's list; answers how many.

    Raises:
        OSError: it can't be written, or is there already: a list that a person made is never overwritten.
    """
    tally = Tally((row[0], Outcome(*row[1:4])) for row in outcomes.of_campaign(db, campaign_id))
    wanted = tally.among(groups)
    country = loose.text(outcomes.raw_campaign(db, campaign_id).get("audienceCountry"))
    people = [each for each in listed(outcomes.recipients(db, campaign_id), country) if each.customer_id in wanted]
    write_new(path, as_csv(people), is_private=True)
    return len(people)
