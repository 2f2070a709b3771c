"""Parse what judges answer, models, functions and programs, into checked values."""

import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paragone.domain import Choice, CriterionScore, Usage, Verdict

_CHOICES = {choice.value: choice for choice in (Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.ABSTAIN)}
_SIDES = ("first", "second")
LABELS = (Choice.FIRST.value, Choice.SECOND.value, Choice.TIE.value)
"""What a model may answer."""
_AROUND_LABEL = " \t\r\n.*_`'\""
"""What models put around a label: blanks, a full stop, marks of Markdown, quotes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The answer of a judge outside this process.

    Attributes:
        choice: One of FIRST, SECOND, TIE and ABSTAIN.
        probability: Probability that the first is better, where the judge gave one.
        scores: One for each criterion, where the judge gave them.
        rationale: The judge's reasons, where it gave any.
    """

    choice: Choice
    probability: float | None = None
    scores: tuple[CriterionScore, ...] = ()
    rationale: str = ""

    def verdict(self, judge: str, usage: Usage) -> Verdict:
        """The answer as a verdict of a judge; an abstention has no probability."""
        return Verdict(
            choice=self.choice,
            judge=judge,
            probability=None if self.choice is Choice.ABSTAIN else self.probability,
            scores=self.scores,
            rationale=self.rationale,
            usage=usage,
        )


def read_answer(value: object) -> Answer:
    """An answer from a label, None for an abstention, or a mapping.

    Args:
        value: ``first``, ``second``, ``tie``, ``abstain`` or None; or a mapping with ``winner`` (one of these) and, if
            wanted, ``probability`` (that the first is better, 0 to 1), ``rationale`` (text) and ``scores``: for each
            criterion a pair ``[first, second]`` or a mapping with these two, each from 0 to 1; ``{"first": .8,
            "second": .3}`` alone is one score named ``overall``.

    Raises:
        ValueError: If it is anything else, or the winner and the probability disagree; an unknown label is an error,
            never a tie.
    """
    if not isinstance(value, Mapping):
        return Answer(choice=_choice(value))
    if "winner" not in value:
        raise ValueError(f"an answer without 'winner': {_brief(value)}")
    choice, probability = _choice(value["winner"]), _optional_share(value.get("probability"), "probability")
    if probability is not None and not _agree(choice, probability):
        raise ValueError(
            f"the winner {choice.value!r} and the probability {probability} that the first is better disagree"
        )
    return Answer(
        choice=choice,
        probability=probability,
        scores=_scores(value.get("scores")),
        rationale=_rationale(value.get("rationale")),
    )


def _choice(label: object) -> Choice:
    if label is None:
        return Choice.ABSTAIN
    choice = _CHOICES.get(label) if isinstance(label, str) else None
    if choice is None:
        raise ValueError(f"the answer {_brief(label)} is none of {', '.join(_CHOICES)}")
    return choice


def _agree(choice: Choice, probability: float) -> bool:
    if choice is Choice.TIE:
        return probability == 0.5
    return {Choice.FIRST: probability >= 0.5, Choice.SECOND: probability <= 0.5}.get(choice, True)


def _scores(value: object) -> tuple[CriterionScore, ...]:
    if value is None:
        return ()
    if not isinstance(value, Mapping):  # one kind of error for all answers
        raise ValueError(f"scores are a mapping from criterion to [first, second], not {_brief(value)}")  # noqa: TRY004
    if set(value) == set(_SIDES) and not any(isinstance(score, Mapping | list | tuple) for score in value.values()):
        return (_score("overall", value),)
    return tuple(_score(str(criterion), pair) for criterion, pair in value.items())


def _score(criterion: str, pair: object) -> CriterionScore:
    sides = [pair.get(side) for side in _SIDES] if isinstance(pair, Mapping) else pair
    if not isinstance(sides, list | tuple) or len(sides) != len(_SIDES):
        raise ValueError(f"the scores of {criterion!r} are [first, second], not {_brief(pair)}")
    first, second = (_share(side, f"a score of {criterion!r}") for side in sides)
    return CriterionScore(criterion=criterion, first=first, second=second)


def _optional_share(value: object, name: str) -> float | None:
    return None if value is None else _share(value, name)


def _share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0.0 <= float(value) <= 1.0:
        raise ValueError(f"{name} is a number from 0 to 1, not {_brief(value)}")
    return float(value)


def _rationale(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"a rationale is text, not {_brief(value)}")  # noqa: TRY004
    return value


def answer_of_reply(answer: Mapping[str, Any] | None, scores: Sequence[str]) -> Answer:
    """Read a model's answer.

    Args:
        answer: Its JSON object, if it gave one.
        scores: The criteria that it was asked to score; each must be present.

    Raises:
        ValueError: If it is malformed. An unknown label is an error, never a tie.
    """
    if answer is None:
        raise ValueError("it holds no JSON object, or more than one")
    if "verdict" not in answer:
        fields = ", ".join(repr(name[:40]) for name in [*answer][:5])
        raise ValueError(f"it has no 'verdict', only {fields or 'an empty object'}")
    label = answer["verdict"]
    label = label.strip(_AROUND_LABEL).lower() if isinstance(label, str) else label
    if label not in LABELS:
        raise ValueError(f"its verdict must be one of {', '.join(LABELS)}, not {str(label)[:40]!r}")
    scored = {name: asked_score(answer.get("scores"), name) for name in scores}
    return read_answer({"winner": label, "scores": scored, "rationale": answer.get("rationale")})


def asked_score(scores: object, criterion: str) -> object:
    """The score of a criterion that a model was asked for.

    Raises:
        ValueError: If it is missing.
    """
    score = scores.get(criterion) if isinstance(scores, dict) else None
    if score is None:
        raise ValueError(f"its scores for {criterion!r} are missing")
    return score


def read_order(value: object, names: Sequence[Hashable]) -> tuple[int, ...]:
    """Turn an order of names into positions in the list as presented, best first.

    Args:
        value: A list that holds each of ``names`` once, the best first.
        names: What the items were called, in the order of presentation.

    Raises:
        ValueError: If it is anything else, or a name is missing, unknown or repeated.
    """
    if not isinstance(value, list | tuple):
        raise ValueError(f"an order is a list of {len(names)}, best first, not {_brief(value)}")  # noqa: TRY004
    position_of = {name: at for at, name in enumerate(names)}
    try:
        order = tuple(position_of[name] for name in value)
    except (KeyError, TypeError):
        raise ValueError(f"the order {_brief(value)} names something that was not shown") from None
    if any(isinstance(name, bool) for name in value) or len(order) != len(names) or len(set(order)) < len(order):
        raise ValueError(f"the order {_brief(value)} does not name each of the {len(names)} items once")
    return order


def order_schema() -> dict[str, Any]:
    """The JSON schema of an answer to a list: the reasons, then the order."""
    properties = {
        "rationale": {"type": "string"},
        "order": {"type": "array", "items": {"type": "integer"}},
    }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def order_of_reply(answer: Mapping[str, Any] | None, count: int) -> tuple[int, ...]:
    """Read a model's order of texts that were numbered from 1.

    Raises:
        ValueError: If it is malformed.
    """
    if answer is None:
        raise ValueError("it holds no JSON object, or more than one")
    return read_order(answer.get("order"), range(1, count + 1))


@dataclass(frozen=True, kw_only=True, slots=True)
class PanelDebate:
    """A debate of experts and their votes, as they came in one answer.

    Attributes:
        choice: The side with more votes; a tie where both have as many.
        probability: That the first is better, by Laplace's rule from the votes; None for a tie.
        text: The reasons, the arguments and the votes, in words.
    """

    choice: Choice
    probability: float | None
    text: str


def read_panel(answer: Mapping[str, Any] | None) -> PanelDebate:
    """Read a panel debate.

    Args:
        answer: A JSON object with ``votes``, each with ``expert``, ``reason`` and ``vote``; ``for_first``,
            ``for_second`` and ``rebuttals``, lists of sentences; and ``rationale``.

    Raises:
        ValueError: If it is malformed, there are fewer than two votes, or nothing was argued for one of the sides. An
            unknown vote is an error, never a tie.
    """
    if answer is None:
        raise ValueError("it holds no JSON object, or more than one")
    votes = [_vote(vote) for vote in _entries(answer, "votes")]
    if len(votes) < 2:
        raise ValueError(f"a panel has two votes or more, not {len(votes)}")
    argued = {name: [str(entry).strip() for entry in _entries(answer, name)] for name in _ARGUED}
    if not all(argued[name] for name in ("for_first", "for_second")):
        raise ValueError("nothing was argued for one of the two texts")
    share = sum({Choice.FIRST: 1.0, Choice.TIE: 0.5}.get(choice, 0.0) for choice, _ in votes)
    choice = Choice.TIE if 2 * share == len(votes) else Choice.FIRST if 2 * share > len(votes) else Choice.SECOND
    return PanelDebate(
        choice=choice,
        probability=None if choice is Choice.TIE else (share + 1) / (len(votes) + 2),
        text=_panel_text(_rationale(answer.get("rationale")).strip(), argued, [words for _, words in votes]),
    )


_ARGUED = {"for_first": "For the first", "for_second": "For the second", "rebuttals": "Rebuttals"}


def _entries(answer: Mapping[str, Any], name: str) -> list[Any]:
    entries = answer.get(name)
    if not isinstance(entries, list):
        raise ValueError(f"its {name} are a list, not {_brief(entries)}")  # noqa: TRY004 - one kind of error for all
    return entries


def _vote(vote: object) -> tuple[Choice, str]:
    """A vote, and what it says in words."""
    if not isinstance(vote, Mapping):
        raise ValueError(f"a vote is an object with expert, reason and vote, not {_brief(vote)}")  # noqa: TRY004
    label = vote.get("vote")
    choice = _choice(label.strip().lower() if isinstance(label, str) else label)
    if choice is Choice.ABSTAIN:
        raise ValueError("an expert votes first, second or tie")
    expert, reason = (str(vote.get(name) or "").strip() for name in ("expert", "reason"))
    return choice, f"{choice.value} ({expert or 'an expert'}{f': {reason}' if reason else ''})"


def _panel_text(rationale: str, argued: Mapping[str, Sequence[str]], votes: Sequence[str]) -> str:
    lines = [f"{heading}: {' '.join(argued[name])}" for name, heading in _ARGUED.items() if argued[name]]
    return "\n".join([*([rationale] if rationale else []), *lines, f"Votes: {'; '.join(votes)}"])


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
