"""What `lab.guard` runs on a sandbox: command lines and scripts of the linear mode, in this order.

`{task}`, `{other}`, `{third}` and `{conversation}` are ids of the sandbox; FILES lie in the working folder.
"""

import json

from frontdesk_sandbox.seeding.workflows import make_workflows
from sample_json import campaign_body

_WORKFLOW = {**make_workflows(1_790_000_000)[0], "id": "wf-guard"}

FILES = {
    "campaign.json": json.dumps(campaign_body("guard-1")),
    "nameless.json": json.dumps(campaign_body("guard-2", name="")),
    "workflow.json": json.dumps(_WORKFLOW),
    "renamed.json": json.dumps({**_WORKFLOW, "name": "Renamed", "lastModified": None}),
    "broken.json": "{",
    "list.csv": "phone,name\n+972501234567,Dana\n0501234567,Dana\n12,Nobody\n",
}

COMMANDS = """
--version
tasks list --limit 5 --json
tasks list --limit 5
tasks show {task} --json
tasks show {task}
tasks show no-such-task
tasks history {task} --json
tasks update {task} --status completed --dry-run
tasks update {task} --status completed --dry-run --json
tasks update {task} --status standby --title Renamed
tasks update {task} --status standby --title Renamed
tasks update {task} {other} --assign +agent-dan,-agent-noa --json
tasks update {task} no-such-task --due none
tasks update {task} --status
tasks update {task}
tasks update {task} --due gestern
tasks update no-such-task --status open
tasks update {third} --assign nobody-known
tasks complete {third}
tasks complete {third} --json
tasks snooze {task} --until tomorrow --dry-run
tasks snooze {task} --until tomorrow --json
conversations list --limit 3
conversations list --limit 3 --json
conversations list --match "is:waiting" --limit 3
conversations read {conversation} --json
conversations no-answer {conversation} --dry-run
conversations note {conversation} Hello
messages list 972737001200 no-such-customer
tags assign {conversation} vip --dry-run
tags assign {conversation} vip
tags assign {conversation} vip --json
tags assign no-such-conversation vip
search refund --limit 3 --json
search refund --limit 3
views list --json
macros list --json
stats --by person
stats --by day --json
campaigns list --json
campaigns create --file campaign.json --dry-run --json
campaigns create --file campaign.json
campaigns create --file campaign.json
campaigns create --file nameless.json
campaigns create --file broken.json
campaigns get guard-1 --json
campaigns get guard-1
campaigns get no-such-campaign --json
campaigns audience list.csv --country IL
campaigns audience list.csv --country IL --json
workflows list
workflows list --full --json
workflows show wf-welcome
workflows show wf-welcome --json
workflows check workflow.json --json
workflows create wf-guard --folder f --file workflow.json --dry-run
workflows create wf-guard --folder f --file workflow.json
workflows create wf-guard --folder f --file workflow.json
workflows update wf-guard --file renamed.json --dry-run
workflows update wf-guard --file renamed.json
workflows update wf-guard --file workflow.json
workflows update wf-guard --file broken.json
workflows deactivate wf-guard
workflows deactivate wf-guard --json
workflows activate wf-guard --json
workflows reset-analytics wf-welcome
workflows reset-analytics wf-welcome --yes --dry-run --json
workflows reset-analytics wf-welcome --yes
workflows snapshots wf-welcome
workflows diff wf-guard --file renamed.json
agents list --limit 3 --json
agents show ai-01 --json
agents show ai-01
agents show no-such-agent
webhooks delete no-such-webhook
webhooks delete no-such-webhook --yes
--read-only tasks complete {task}
--read-only tags assign {conversation} vip
outbox list --json
outbox list
outbox drop 999
undo --dry-run
undo
redo
journal
config check
doctor
""".strip().splitlines()

LINEAR = r"""
list\nopen 1\nolder\ncustomer\ntask\nraw
list\nopen 2\nlinks\nexport t.md\nreply
views\nsort oldest\nfind refund\nsearch refund\nmore
board\ntasks 1\nnames statuses
task 1\nraw 1
board open\nstatus 1 standby\nundo\nassign 1 dan\ndue 1 tomorrow 9am\nactivity\ntask 1
list\nsnooze 1 tomorrow 9am\nsnoozed\nundo\nread 1\nnoanswer 1
campaigns\nopen 1\nsamples 1\nreport
workflows\nopen 1\ntree 1\ncheck 1\nversions 1\nraw 1
workflows\nswitch 1 off\nundo\nreset 1
agents\nopen 1\nraw 1\nagents by tokens used
activity\nopen 1\nraw 1
stats\nstats 7 by line\nconnection\nnews\nalerts
mark all\nmark none\nnew\nmention\njump refund
tag 1 vip\ncomplete 1\nedit 1 title Hello\nmacro
help\nhelp list\nprivacy on\nlist\nprivacy off
tasks list --limit 3\nworkflows check workflow.json\nfrontdesk stats --by line\nconfig check\ntasks complete nobody
nonsense\nopen 99\nstatus 1 nonsense\ndue 1 nonsense
""".strip().splitlines()
