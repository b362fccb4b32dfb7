"""One request of the interface as a handler gets it.

Made by the application; the body's model is checked when the handler asks for it, because Create
campaign answers some broken rules with another status than the rest.
"""

from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel

from frontdesk.sandbox.answers import broken_rule
from frontdesk.sandbox.bodies import validate
from frontdesk.sandbox.credentials import Identity

ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass
class Call:
    """Who asks, for which ids, with which query and body.

    Attributes:
        raw: the body as it came, unknown fields included.
    """

    identity: Identity
    ids: dict[str, str]
    query: BaseModel | None = None
    raw: dict[str, Any] = field(default_factory=dict)
    request: type[BaseModel] | None = None

    @property
    def account(self) -> str:
        """The account of the credentials (rule 13)."""
        return self.identity.account

    def body(self, model: type[ModelT]) -> ModelT:
        """The body, checked against its model.

        Raises:
            Refusal: it breaks a rule of the interface.
        """
        checked = validate(model, self.raw)
        assert isinstance(checked, model)
        return checked

    def parameters(self, model: type[ModelT]) -> ModelT:
        """The query parameters, already checked."""
        if not isinstance(self.query, model):
            raise broken_rule("The query is missing.")
        return self.query
