"""Which debates of agents tell most, and how far the board is from settled."""

from dataclasses import dataclass

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposedDebate(Value):
    """A debate that would tell much.

    Attributes:
        agent: One agent.
        opponent: The other.
        expected: Points expected for the first, from 0 to 1.
        low: Lower end of their 95 % interval.
        high: Upper end.
        debates: Debates of the first so far: in the domain, if there is one.
        opponent_debates: Debates of the second.
    """

    agent: str
    opponent: str
    expected: float
    low: float
    high: float
    debates: int
    opponent_debates: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DebatePlan(Value):
    """The next debates, and the forecast of the board without them.

    Attributes:
        domain: The domain; empty for all debates.
        agents: Agents that may debate.
        held: Debates so far that the board rests on.
        aim: What is to be settled: ``order``, ``balanced``, ``top`` or ``winner``.
        confidence: What the forecast has to reach.
        tau: Expected Kendall tau between the board's order and the true one.
        recall: Expected share of the true top among the board's.
        top: The size of that top.
        p_best: Probability that the first is the best.
        settled: Whether the forecast reaches the confidence.
        more: Rough number of debates until then; 0 if it is settled, None if that is out of sight.
        debates: The debates, the one that tells most first; all may be held at once.
    """

    domain: str
    agents: int
    held: int
    aim: str
    confidence: float
    tau: float
    recall: float
    top: int
    p_best: float
    settled: bool
    more: int | None
    debates: tuple[ProposedDebate, ...]
