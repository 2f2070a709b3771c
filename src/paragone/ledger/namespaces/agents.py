"""Agents: their matches, tests, predictions, critiques and relations."""

from collections.abc import Mapping, Sequence
from typing import Literal

from sqlalchemy import Column

from paragone.domain import (
    GLOBAL,
    Critique,
    DomainPrediction,
    EvidenceKind,
    Match,
    Prediction,
    RatingChange,
    Relation,
    Resolution,
    StrengthTest,
)
from paragone.ledger import (
    pools,
    schema,
)
from paragone.ledger.agent_records import (
    AgentRecord,
    AgentRows,
    AgentStatistics,
    Progress,
    RecordedDomainPrediction,
    RecordedEvidence,
    RecordedPrediction,
    RecordedTest,
    ScoredMatch,
    Voided,
)
from paragone.ledger.agents import (
    assessments,
    critiques,
    domain_predictions,
    evidence,
    named,
    predictions,
    progression,
    relations,
    roster,
    scored,
    scores,
    standings,
)
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.replays import voiding
from paragone.ratings.score_pairs import ScoreColumns

CountedOnce = Literal["critique", "relation", "test"]
"""Kinds of evidence about agents that may have ids by which they count once, besides matches and predictions."""

_IDS: Mapping[CountedOnce, Column[str]] = {
    "critique": schema.critique.c.critique,
    "relation": schema.relation.c.relation,
    "test": schema.test.c.test,
}


class Agents(Namespace):
    """The agents of pools. Agents that a call names and that the pool lacks are added in the same transaction."""

    def register(self, pool: str, agent: str, model: str = "") -> None:
        """Have an agent in a pool, and say which model it is; where no model is named, the one known stays.

        Raises:
            NotFound: If there is no such pool.
            InvalidItems: If the pool holds something else than agents.
        """
        with self._database.write() as connection:
            roster.register(connection, pool, agent, model, self._clock())

    def records(self, pool: str, names: Sequence[str] | None = None) -> tuple[AgentRecord, ...]:
        """What is kept of some agents, in the order of their names as given; those that are not there are left out.

        Args:
            pool: The pool.
            names: Ids of agents; where None, all of them come, the highest global rating first.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return standings.records(connection, pool, standings.agents(connection, pool, names))

    def rows(self, pool: str, names: Sequence[str] | None = None) -> AgentRows:
        """The same as ``agents`` says, as plain values.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return standings.agents(connection, pool, names)

    def board(self, pool: str, *, count: int, domain: str = "") -> tuple[AgentRecord, ...]:
        """So many agents, the highest first; equal ones in the order of their ids.

        Args:
            pool: The pool.
            count: How many at most.
            domain: By the ratings of this domain, where an agent has one, and by the global one where not.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            found = standings.board(connection, pool, count=count, domain=domain)
            return standings.records(connection, pool, found)

    def board_rows(self, pool: str, *, count: int, domain: str = "") -> AgentRows:
        """The same as ``agent_board`` says, as plain values.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return standings.board(connection, pool, count=count, domain=domain)

    def statistics(self, pool: str) -> AgentStatistics:
        """A pool of agents in numbers.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return standings.statistics(connection, pool)

    def record_matches(self, pool: str, wanted: Sequence[Match]) -> tuple[tuple[RatingChange, ...], ...]:
        """Record matches that rest on scorecards, with the ratings that they move, all or none.

        Returns:
            The changes of each, in the order given: the global ones in the order of its participants, then those of its
            domain. For a match that is there already, those that it made then.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If a match is there with other content; multipliers of K are not compared.
            InvalidItems: If the pool holds something else than agents, and lacks a participant.
            LedgerError: If a match has no scorecard, or says something else than it.
        """
        with self._database.write() as connection:
            return scores.record(connection, pool, wanted, self._clock())

    def matches(
        self,
        pool: str,
        *,
        count: int | None = None,
        agent: str | None = None,
        opponent: str | None = None,
        domain: str | None = None,
        before: int | None = None,
    ) -> tuple[ScoredMatch, ...]:
        """The matches that rest on scorecards, those that were rolled back too, newest first.

        Args:
            pool: The pool.
            count: How many at most; all where None.
            agent: Those in which it took part; of all agents where None.
            opponent: Those in which this one took part as well.
            domain: Those of this domain, the empty one for those of none; of all where None.
            before: Those before this one, as ``sequence`` names it; from the end where None.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return scored.newest(
                connection, pool, count=count, agent=agent, opponent=opponent, domain=domain, before=before
            )

    def match_ids(self, pool: str, ids: Sequence[str]) -> frozenset[str]:
        """Which of some ids are those of matches that are recorded.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return scored.recorded(connection, pool, ids)

    def score_columns(self, pool: str, *, domain: str | None = None) -> ScoreColumns:
        """The matches that rest on scorecards and stand, as columns, oldest first.

        Args:
            pool: The pool.
            domain: Those of this domain; of all where None.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return scored.columns(connection, pool, domain=domain)

    def rating_history(
        self, pool: str, agent: str, *, track: str = GLOBAL, count: int | None = None
    ) -> tuple[Progress, ...]:
        """Where a rating of an agent stood after each move, by matches, tests, rollbacks and adjustments, newest first.

        Args:
            pool: The pool.
            agent: Id of the agent; one that is not there has none.
            track: A domain, or the global rating.
            count: How many at most; all where None.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return progression.of_agent(connection, pool, agent, track=track, count=count)

    def record_test(self, pool: str, test: StrengthTest) -> tuple[RatingChange, ...]:
        """Record a test of an agent, and move its ratings.

        Returns:
            The global change, then that of its domain where one is named; for a test that is there already, those that
            it made then.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If a test of that id is there with other content.
            InvalidItems: If the pool holds something else than agents, and lacks this one.
        """
        with self._database.write() as connection:
            return assessments.record(connection, pool, test, self._clock())

    def tests(self, pool: str, agent: str | None = None, *, voided: bool = False) -> tuple[RecordedTest, ...]:
        """The tests of all agents of a pool, or of one, oldest first.

        Args:
            pool: The pool.
            agent: Id of the agent; of all where None.
            voided: Whether those that are void come too.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return assessments.recorded(connection, pool, agent, voided=voided)

    def record_prediction(self, pool: str, prediction: Prediction) -> None:
        """Keep whom an agent expects to win a tournament, in place of what it expected before.

        What an agent said last, said again, changes nothing.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If the tournament is resolved, and the prediction would be another one.
        """
        with self._database.write() as connection:
            predictions.record(connection, pool, prediction, self._clock())

    def resolve(self, pool: str, resolution: Resolution) -> dict[str, float]:
        """Say who won a tournament, and count what was foretold of it; the same again counts nothing.

        Returns:
            The Brier score of each predictor, in the order in which they made their predictions.

        Raises:
            NotFound: If there is no such pool; or if something was foretold, and the winner is neither an agent nor
                foretold by anybody: it is probably misspelt.
            Conflict: If it is resolved already, with another winner.
        """
        with self._database.write() as connection:
            return predictions.resolve(connection, pool, resolution, self._clock())

    def predictions(self, pool: str, agent: str | None = None) -> tuple[RecordedPrediction, ...]:
        """The predictions of winners that count, of all agents or of one, newest first.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return predictions.recorded(connection, pool, agent)

    def record_domain_predictions(self, pool: str, wanted: Sequence[DomainPrediction]) -> None:
        """Keep and count predictions within domains, all or none; one whose id is there already changes nothing.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If one of that id is there with other content.
        """
        with self._database.write() as connection:
            domain_predictions.record(connection, pool, wanted, self._clock())

    def domain_predictions(
        self, pool: str, agent: str | None = None, domain: str | None = None
    ) -> tuple[RecordedDomainPrediction, ...]:
        """The predictions within domains, of all agents or of one, in all domains or in one, newest first.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return domain_predictions.recorded(connection, pool, agent, domain)

    def domain_prediction_ids(self, pool: str, ids: Sequence[str]) -> frozenset[str]:
        """Which of some ids are those of predictions within domains that are recorded.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return domain_predictions.recorded_ids(connection, pool, ids)

    def record_critiques(self, pool: str, wanted: Sequence[Critique]) -> None:
        """Keep and count critiques, all or none; one whose id is there already changes nothing.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If one of that id is there with other content.
        """
        with self._database.write() as connection:
            critiques.record(connection, pool, wanted, self._clock())

    def record_relations(self, pool: str, wanted: Sequence[Relation]) -> None:
        """Add to what happened between agents, all or nothing; an addition whose id is there already changes nothing.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If an addition of that id is there with other content.
            InvalidEvidence: If a sum grows beyond what a database counts.
        """
        with self._database.write() as connection:
            relations.record(connection, pool, wanted, self._clock())

    def relations(self, pool: str, agent: str | None = None) -> tuple[Relation, ...]:
        """The sums of what happened between the agents of each pair, ``a`` sorting before ``b``; pairs in their order.

        Args:
            pool: The pool.
            agent: The pairs that it is one of; all where None.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return relations.sums(connection, pool, agent)

    def relation(self, pool: str, a: str, b: str) -> Relation | None:
        """The sums of what happened between two agents, seen from the first; None where nothing did.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return relations.between(connection, pool, a, b)

    def evidence(
        self,
        pool: str,
        *,
        kind: EvidenceKind | None = None,
        agent: str | None = None,
        count: int | None = None,
        before: int | None = None,
    ) -> tuple[RecordedEvidence, ...]:
        """The evidence about agents, the void too, newest first.

        Args:
            pool: The pool.
            kind: Of this kind; of all where None.
            agent: About this agent; about all where None.
            count: How many at most; all where None.
            before: That before this place in the record; from the end where None.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return evidence.newest(connection, pool, kind=kind, agent=agent, count=count, before=before)

    def evidence_ids(self, pool: str, kind: CountedOnce, ids: Sequence[str]) -> frozenset[str]:
        """Which of some ids are those of evidence of a kind that is recorded.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            pools.config(connection, pool)
            return named.known(connection, pool, _IDS[kind], ids)

    def void(
        self, pool: str, id: str, reason: str, *, kind: EvidenceKind | None = None, also: Sequence[str] = ()
    ) -> Voided:
        """Void a piece of evidence about agents: it stays, and counts and ratings become what the rest says.

        Void evidence cannot be made to count again; record it anew under another id. Voiding it again changes nothing.

        Args:
            pool: The pool.
            id: Its id, or its reference, as ``evidence`` gives them; of a resolution its tournament.
            reason: Why.
            kind: Its kind; any where None.
            also: Other ids that it may have been recorded under.

        Raises:
            NotFound: If there is no such pool, or no such evidence; it names the nearest ids.
            Conflict: If the id means several pieces of evidence; it names the references of each.
        """
        with self._database.write() as connection:
            return voiding.record(connection, pool, (id, *also), reason, self._clock(), kind)
