"""A tool for models that call functions: rank texts. The definition is that of OpenAI's API, which others take as well.

Source: OpenAI's documentation, "Function calling".
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from paragone.domain import Board
from paragone.errors import ParagoneError
from paragone.judges import Judge

NAME = "rank_texts"
DESCRIPTION = (
    "Rank texts by comparing them in pairs. Call it if you have several answers, plans or ideas and need to know which "
    "is better by some criteria, and how sure that is; not for what can be computed."
)
MOST_ITEMS = 200


class _Item(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = Field(description="A short name, its own for each.")
    text: str = Field(description="The text.")


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    items: list[_Item] = Field(min_length=2, max_length=MOST_ITEMS, description="The texts.")
    criteria: str = Field(min_length=1, description="What makes one text better than another, in words.")


@dataclass(frozen=True, kw_only=True, slots=True)
class RankTool:
    """The tool ``rank_texts``. Who judges, and at what price, is the program's choice and never the model's.

    Attributes:
        judge: A judge: a spec, a judge, or a function of two items and the criteria.
        options: Further arguments of ``paragone.rank``, such as ``budget``, ``max_cost`` and ``seed``.
    """

    judge: str | Judge | Callable[..., object]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def definition(self) -> dict[str, Any]:
        """The tool for ``tools`` of a chat completion."""
        return {"type": "function", "function": self._function}

    @property
    def response_definition(self) -> dict[str, Any]:
        """The tool for ``tools`` of a response."""
        return {"type": "function", **self._function}

    @property
    def _function(self) -> dict[str, Any]:
        parameters = _inlined(_Arguments.model_json_schema())
        return {"name": NAME, "description": DESCRIPTION, "parameters": parameters, "strict": True}

    def call(self, arguments: str) -> str:
        """Do what a model asks for.

        Args:
            arguments: The arguments as the model wrote them, in JSON.

        Returns:
            JSON for the model: the board, or ``error`` in words for what it can mend.
        """
        from paragone.tournaments.ranking import rank

        try:
            request = _Arguments.model_validate_json(arguments)
            texts = {item.id: item.text for item in request.items}
            if len(texts) < len(request.items):
                return json.dumps({"error": "two of the items have the same id; give each its own"})
            board = rank(texts, request.criteria, judge=self.judge, **self.options)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "arguments"
            return json.dumps({"error": f"{where}: {first['msg']}"})
        except ParagoneError as error:
            return json.dumps({"error": str(error)})
        return json.dumps(_answer(board), ensure_ascii=False)


def _answer(board: Board) -> dict[str, Any]:
    names = ("rank", "id", "rating", "low", "high", "rank_low", "rank_high", "matches")
    rows = [{name: value for name, value in asdict(row).items() if name in names} for row in board.items]
    certainty = None if board.forecast is None else {"p_best": board.forecast.p_best, "tau": board.forecast.tau}
    return {"items": rows, "certainty": certainty, "stopped": board.stopped}


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without references and titles, and without bounds, which strict mode does not know."""
    definitions = schema.pop("$defs", {})

    def plain(value: Any) -> Any:  # noqa: ANN401 - any part of a schema
        if isinstance(value, list):
            return [plain(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return plain(definitions[value["$ref"].rpartition("/")[2]])
        dropped = {"title", "minItems", "maxItems", "minLength"}
        return {key: plain(each) for key, each in value.items() if key not in dropped or isinstance(each, dict)}

    inlined: dict[str, Any] = plain(schema)
    return inlined
