"""A list of those recipients of a campaign that fared in some way, as a file for a new campaign.

`Services` runs it in the background: it reads the whole list of the campaign.
"""

from collections.abc import Collection
from pathlib import Path

import apsw

from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.metrics.delivery_results import DeliveryResult, Tally
from frontdesk.campaigns.models import DeliveryResultGroup
from frontdesk.campaigns.recipients import as_csv, listed
from frontdesk.campaigns.store import delivery_results
from frontdesk.storage import json_access
from frontdesk.text.new_file import write_new


def save_list(
    db: apsw.Connection, campaign_id: CampaignId, groups: Collection[DeliveryResultGroup], path: Path
) -> int:
    """Write those of these groups into a new file, in the order of the campaign's list; answers how many.

    Raises:
        OSError: it can't be written, or is there already: a list that a person made is never overwritten.
    """
    tally = Tally((row[0], DeliveryResult(*row[1:4])) for row in delivery_results.of_campaign(db, campaign_id))
    wanted = tally.among(groups)
    country = json_access.text(delivery_results.raw_campaign(db, campaign_id).get("audienceCountry"))
    people = [
        each
        for each in listed(delivery_results.recipients(db, campaign_id), country)
        if each.customer_id in wanted
    ]
    write_new(path, as_csv(people), is_private=True)
    return len(people)
