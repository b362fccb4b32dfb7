"""The bodies of refusals (docs/interface.md, Errors)."""

from frontdesk.api.contract.base import Resource


class ErrorBody(Resource):
    """What a documented refusal answers. The values of `error` are not shown: never branch on them."""

    error: str
    message: str


class MessageOnly(Resource):
    """The 403 of analytics reset without the Expert AI plan: a message and nothing else."""

    message: str
