"""Bodies of the routes that record evidence about agents."""

from typing import Annotated, Literal

from pydantic import Field

from paragone.domain import EvidenceKind
from paragone.domain.names import LONGEST_ID, LONGEST_NAME
from paragone.web.parameters import Body, Count, Share, StorableText

Name = Annotated[StorableText, Field(min_length=1, max_length=LONGEST_NAME)]
DomainName = Annotated[StorableText, Field(max_length=LONGEST_NAME)]
Id = Annotated[StorableText, Field(min_length=1, max_length=LONGEST_ID)]
Score = Annotated[float, Field(ge=0.0, le=1e9, allow_inf_nan=False)]
MOST = 1_000
"""Agents in one debate."""


class KeyedBody(Body):
    """Evidence that counts once.

    Attributes:
        id: Names it within its pool, and is the key by which sending it again changes nothing.
    """

    id: Id


class NewAgent(Body):
    """An agent.

    Attributes:
        agent: Its name.
        model: The model behind it; if empty, the recorded one stays.
    """

    agent: Name
    model: Annotated[StorableText, Field(max_length=LONGEST_NAME)] = ""


class NewDebate(KeyedBody):
    """A debate between agents.

    Attributes:
        scores: The score of each participant, by name. Only the highest wins.
        domain: Its domain, whose ratings it moves too; empty for none.
        task: What the debate was about, in words.
        confidence: Factor of K.
        outcome: How scores become points: their ratio, a win, or half plus half the difference.
        normalize: How points against several opponents add up: their sum, or their mean.
    """

    scores: Annotated[dict[Name, Score], Field(min_length=2, max_length=MOST)]
    domain: DomainName = ""
    task: Annotated[StorableText, Field(max_length=10_000)] = ""
    confidence: Annotated[float, Field(ge=0.1, le=1.0)] = 1.0
    outcome: Literal["ratio", "win", "margin"] = "ratio"
    normalize: Literal["sum", "n-1"] = "sum"


class NewPrediction(Body):
    """The winner that an agent predicts for a tournament; it replaces the agent's earlier prediction.

    Attributes:
        tournament: The tournament.
        agent: The agent that predicts.
        winner: The predicted winner.
        confidence: Its probability, by the agent.
    """

    tournament: Id
    agent: Name
    winner: Name
    confidence: Share


class NewResolution(Body):
    """The winner of a tournament.

    Attributes:
        tournament: The tournament.
        winner: The winner.
    """

    tournament: Id
    winner: Name


# The fields of ``domain.DomainPrediction``, with the limits of what may be sent.
class NewDomainPrediction(KeyedBody):
    """A prediction within a domain, whose outcome is known.

    Attributes:
        agent: The agent that predicted.
        domain: The domain.
        confidence: Its probability, by the agent.
        correct: Whether it came true.
    """

    agent: Name
    domain: Name
    confidence: Share
    correct: bool


class NewCritique(KeyedBody):
    """A critique by an agent.

    Attributes:
        agent: The agent that made it.
        accepted: Whether it was accepted.
    """

    agent: Name
    accepted: bool


class NewRelation(KeyedBody):
    """An addition to the shared history of two agents.

    Attributes:
        a: One agent.
        b: The other.
        debates: Debates in which both took part.
        agreements: Debates in which they agreed.
        wins: Debates that ``a`` won against ``b``.
        losses: Debates that ``b`` won.
        critiques_a_to_b: Critiques of ``b`` by ``a``.
        critiques_b_to_a: The other way round.
        accepted_a_to_b: Critiques by ``a`` that ``b`` accepted.
        accepted_b_to_a: The other way round.
        changes_a_after_b: Times that ``a`` changed its position after ``b`` spoke.
        changes_b_after_a: The other way round.
    """

    a: Name
    b: Name
    debates: Count = 0
    agreements: Count = 0
    wins: Count = 0
    losses: Count = 0
    critiques_a_to_b: Count = 0
    critiques_b_to_a: Count = 0
    accepted_a_to_b: Count = 0
    accepted_b_to_a: Count = 0
    changes_a_after_b: Count = 0
    changes_b_after_a: Count = 0


class NewRedTeam(Body):
    """The result of a red-team session against an agent.

    Attributes:
        session: Names the session; its result counts once for each agent.
        agent: The agent that was attacked.
        robustness: From 0, every attack succeeded, to 1.
        successful: Attacks that succeeded.
        total: Attacks that were made.
        critical: Critical vulnerabilities that were found.
        domain: A domain whose rating it moves too; empty for none.
    """

    session: Id
    agent: Name
    robustness: Share
    successful: Count
    total: Count
    critical: Count = 0
    domain: DomainName = ""


class NewVerification(KeyedBody):
    """The result of a formal verification of an agent's claims.

    Attributes:
        agent: The agent that made them.
        verified: Claims that were proven.
        disproven: Claims that were disproven.
        k: Elo points that are at stake for two claims.
        domain: A domain whose rating it moves too; empty for none.
    """

    agent: Name
    verified: Count = 0
    disproven: Count = 0
    k: Annotated[float, Field(ge=0.0, le=1e9, allow_inf_nan=False)] = 16.0
    domain: DomainName = ""


class VoidRequest(Body):
    """Evidence to be voided.

    Attributes:
        id: Its id or reference; for a resolution, its tournament.
        reason: Why; kept in the ledger.
        kind: Its kind; needed only if several pieces of evidence have the id.
    """

    id: Id
    reason: Annotated[str, Field(min_length=1, max_length=1_000)]
    kind: EvidenceKind | None = None
