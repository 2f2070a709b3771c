"""What is expected of agents: of a debate between two, and of a tournament whose winner several have predicted."""

from dataclasses import dataclass

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateForecast(Value):
    """What is expected of a debate between two agents.

    Attributes:
        agent: The first agent.
        opponent: The second.
        domain: The domain of the debate; empty for any.
        expected: Points expected for the first, from 0 to 1, where a tie is half a point: the mean over the posterior.
        low: Lower end of its 95 % interval, which is of the strengths and not of the chance in one debate.
        high: Upper end.
        elo: The same points by the running Elo alone.
        debates: Debates of the first agent that the strengths rest on, of the domain if there is one.
        opponent_debates: The same of the second.
    """

    agent: str
    opponent: str
    domain: str
    expected: float
    low: float
    high: float
    elo: float
    debates: int
    opponent_debates: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WinnerChance(Value):
    """A possible winner of a tournament.

    Attributes:
        winner: An agent that was predicted to win; None for all others together.
        chance: Its chance to win, by all predictions.
        predictors: Who predicted it.
    """

    winner: str | None
    chance: float
    predictors: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class UsedPrediction(Value):
    """A prediction of a tournament's winner, and what it counts.

    Attributes:
        predictor: The agent that predicts.
        winner: The agent that it expects to win.
        confidence: The chance that it stated.
        corrected: What that is worth by its record.
        method: The correction; ``as stated`` where its record shows none.
    """

    predictor: str
    winner: str
    confidence: float
    corrected: float
    method: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WinnerForecast(Value):
    """Who is expected to win a tournament, by the predictions of several agents.

    Attributes:
        tournament: Its id.
        chances: Those who were named, the likeliest first, and the others together; they add up to 1.
        predictions: The predictions, by name of the predictor.
    """

    tournament: str
    chances: tuple[WinnerChance, ...]
    predictions: tuple[UsedPrediction, ...]
