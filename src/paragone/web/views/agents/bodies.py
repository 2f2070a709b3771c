"""What programs send of agents: what they did and foretold, each with the key by which it counts once."""

from typing import Annotated, Literal

from pydantic import Field

from paragone.domain import EvidenceKind
from paragone.domain.agent_name import LONGEST_ID, LONGEST_NAME
from paragone.web.views.body import Body, StorableText
from paragone.web.views.recording import Count, Share

Name = Annotated[StorableText, Field(min_length=1, max_length=LONGEST_NAME)]
DomainName = Annotated[StorableText, Field(max_length=LONGEST_NAME)]
Id = Annotated[StorableText, Field(min_length=1, max_length=LONGEST_ID)]
Score = Annotated[float, Field(ge=0.0, le=1e9, allow_inf_nan=False)]
MOST = 1_000
"""Agents in one debate."""


class NewAgent(Body):
    """An agent.

    Attributes:
        agent: Its name.
        model: The model behind it; where empty, the one known stays.
    """

    agent: Name
    model: Annotated[StorableText, Field(max_length=LONGEST_NAME)] = ""


class NewDebate(Body):
    """A debate that was held.

    Attributes:
        id: Names it within its pool, and is the key by which sending it again changes nothing.
        scores: What each who took part scored, by name, in the order of naming. The highest alone wins.
        domain: What it was about: moves the ratings of that domain too; empty for none.
        task: The same in words.
        confidence: What K is multiplied by.
        outcome: How scores become points: their ratio, a win, or half plus half the difference.
        normalize: How points against several opponents add up: their sum, or their mean.
    """

    id: Id
    scores: Annotated[dict[Name, Score], Field(min_length=2, max_length=MOST)]
    domain: DomainName = ""
    task: Annotated[StorableText, Field(max_length=10_000)] = ""
    confidence: Annotated[float, Field(ge=0.1, le=1.0)] = 1.0
    outcome: Literal["ratio", "win", "margin"] = "ratio"
    normalize: Literal["sum", "n-1"] = "sum"


class NewPrediction(Body):
    """Whom an agent expects to win a tournament, in place of what it expected before.

    Attributes:
        tournament: The tournament.
        agent: Who foretells.
        winner: Who will win.
        confidence: The chance that it gives it.
    """

    tournament: Id
    agent: Name
    winner: Name
    confidence: Share


class NewResolution(Body):
    """Who won a tournament.

    Attributes:
        tournament: The tournament.
        winner: Who won.
    """

    tournament: Id
    winner: Name


class NewDomainPrediction(Body):
    """A prediction within a domain, whose outcome is known.

    Attributes:
        id: Names it within its pool, and is the key by which sending it again changes nothing.
        agent: Who foretold.
        domain: The domain.
        confidence: The chance that it gave.
        correct: Whether it came true.
    """

    id: Id
    agent: Name
    domain: Name
    confidence: Share
    correct: bool


class NewCritique(Body):
    """A critique that an agent made.

    Attributes:
        id: Names it within its pool, and is the key by which sending it again changes nothing.
        agent: Who made it.
        accepted: Whether it was accepted.
    """

    id: Id
    agent: Name
    accepted: bool


class NewRelation(Body):
    """What is added to what happened between two agents.

    Attributes:
        id: Names the addition within its pool, and is the key by which sending it again changes nothing.
        a: One agent.
        b: The other.
        debates: Debates in which both took part.
        agreements: Debates in which they agreed.
        wins: Debates that ``a`` won against ``b``.
        losses: Debates that ``b`` won.
        critiques_a_to_b: Critiques that ``a`` made of ``b``.
        critiques_b_to_a: The other way round.
        accepted_a_to_b: Of the critiques of ``a`` those that ``b`` accepted.
        accepted_b_to_a: The other way round.
        changes_a_after_b: Times that ``a`` changed its position after what ``b`` said.
        changes_b_after_a: The other way round.
    """

    id: Id
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
    """What attacks on an agent came to.

    Attributes:
        session: Names the session; with it the result counts once for each agent, however often it is sent.
        agent: Whom they attacked.
        robustness: From 0, everything got through, to 1.
        successful: Attacks that succeeded.
        total: Attacks that were made.
        critical: Critical vulnerabilities that were found.
        domain: Moves the rating in this domain too; empty for none.
    """

    session: Id
    agent: Name
    robustness: Share
    successful: Count
    total: Count
    critical: Count = 0
    domain: DomainName = ""


class NewVerification(Body):
    """What the formal verification of an agent's claims came to.

    Attributes:
        id: Names it within its pool, and is the key by which sending it again changes nothing.
        agent: Whose claims.
        verified: Claims that were proven.
        disproven: Claims that were disproven.
        k: Elo points that are at stake for two claims.
        domain: Moves the rating in this domain too; empty for none.
    """

    id: Id
    agent: Name
    verified: Count = 0
    disproven: Count = 0
    k: Annotated[float, Field(ge=0.0, le=1e9, allow_inf_nan=False)] = 16.0
    domain: DomainName = ""


class VoidRequest(Body):
    """Evidence that is not to count.

    Attributes:
        id: Its id or its reference; of a resolution its tournament.
        reason: Why; kept in the ledger.
        kind: Its kind, where the id means several pieces of evidence; else None.
    """

    id: Id
    reason: Annotated[str, Field(min_length=1, max_length=1_000)]
    kind: EvidenceKind | None = None
