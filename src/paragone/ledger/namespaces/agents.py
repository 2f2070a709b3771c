"""``ledger.agents``: agents that debate, with their matches, tests, predictions, critiques and relations."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import Column, Row

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
from paragone.ledger import chain, rollback, schema
from paragone.ledger.databases.database import Namespace
from paragone.ledger.evidence import (
    agent_evidence,
    leaderboard,
    predictions,
    rating_changes,
    relations,
    roster,
    scored_matches,
    strength_tests,
    tallies,
)
from paragone.ledger.records import (
    AgentRecord,
    AgentRows,
    AgentStatistics,
    Progress,
    RecordedDomainPrediction,
    RecordedEvidence,
    RecordedPrediction,
    RecordedTest,
    ScoredMatch,
)
from paragone.ratings.score_pairs import ScoreColumns
from paragone.wire.evidence import VoidedEvidence

WithId = Literal["match", "prediction", "critique", "relation", "test"]
"""Kinds of evidence that may have an id, so that a second record with the same id changes nothing."""

_IDS: Mapping[WithId, Column[str]] = {
    "match": schema.match.c.match,
    "prediction": schema.domain_prediction.c.prediction,
    "critique": schema.critique.c.critique,
    "relation": schema.relation.c.relation,
    "test": schema.test.c.test,
}


class Agents(Namespace):
    """The agents of pools.

    A method that records evidence also adds the agents that the evidence names and the pool lacks, in the same
    transaction.
    """

    def register(self, pool: str, agent: str, model: str = "") -> None:
        """Add an agent to a pool and record its model; an empty model leaves the recorded one.

        Raises:
            NotFound: If there is no such pool.
            InvalidItems: If the pool does not hold agents.
        """
        at = self._clock()
        with self._database.write() as connection, chain.appending(connection, pool, at) as page:
            roster.enrol(connection, page, [agent])
            if model and roster.model(connection, pool, agent) != model:
                page.add(schema.registration, item=agent, model=model)

    def records(self, pool: str, names: Sequence[str] | None = None) -> tuple[AgentRecord, ...]:
        """The ratings and counts of agents; unknown names are left out.

        Args:
            pool: The pool.
            names: Ids of agents, which give the order; None for all agents, highest global rating first.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return leaderboard.records(connection, pool, leaderboard.agents(connection, pool, names))

    def rows(self, pool: str, names: Sequence[str] | None = None) -> AgentRows:
        """``records`` as plain values.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(leaderboard.agents, pool, names)

    def board(self, pool: str, *, count: int, domain: str = "") -> tuple[AgentRecord, ...]:
        """The highest ``count`` agents, highest first; equal ones in the order of their ids.

        Args:
            pool: The pool.
            count: The largest number of agents.
            domain: Order by the ratings in this domain, and by the global rating of an agent that has none there.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return leaderboard.records(
                connection, pool, leaderboard.board(connection, pool, count=count, domain=domain)
            )

    def board_rows(self, pool: str, *, count: int, domain: str = "") -> AgentRows:
        """``board`` as plain values.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(leaderboard.board, pool, count=count, domain=domain)

    def statistics(self, pool: str) -> AgentStatistics:
        """The number of agents and matches, and the mean, highest and lowest rating.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(leaderboard.statistics, pool)

    # Matches and tests, which change ratings

    def record_matches(self, pool: str, matches: Sequence[Match]) -> tuple[tuple[RatingChange, ...], ...]:
        """Record matches with scorecards, and the rating changes they cause, all or none.

        Returns:
            The changes of each match, in the given order: the global ones in the order of its participants, then those
            of its domain. For a match that is already recorded, those of then.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If a match is recorded with other content; multipliers of K are not compared.
            InvalidItems: If the pool does not hold agents, and lacks a participant.
            LedgerError: If a match has no scorecard, or contradicts it.
        """
        return self._write(scored_matches.record, pool, matches, self._clock())

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
        """The matches with scorecards, rolled back ones too, newest first.

        Args:
            pool: The pool.
            count: The largest number of matches; None for all.
            agent: Only matches of this agent.
            opponent: Only matches that this agent took part in as well.
            domain: Only matches of this domain; the empty text means those without one.
            before: Only matches before this sequence number.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(
            scored_matches.newest, pool, count=count, agent=agent, opponent=opponent, domain=domain, before=before
        )

    def score_columns(self, pool: str, *, domain: str | None = None) -> ScoreColumns:
        """The matches with scorecards that count, of all domains or one, as columns, oldest first.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(scored_matches.columns, pool, domain=domain)

    def rating_history(
        self, pool: str, agent: str, *, track: str = GLOBAL, count: int | None = None
    ) -> tuple[Progress, ...]:
        """A rating of an agent after each change by a match, test, rollback or adjustment, newest first.

        Args:
            pool: The pool.
            agent: Id of the agent; an unknown one has no history.
            track: A domain, or the global rating.
            count: The largest number of changes; None for all.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(rating_changes.of_agent, pool, agent, track=track, count=count)

    def record_test(self, pool: str, test: StrengthTest) -> tuple[RatingChange, ...]:
        """Record a test of an agent, and change its ratings.

        Returns:
            The global change, then that of the test's domain if it has one; for a test that is already recorded, those
            of then.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If a test of that id is recorded with other content.
            InvalidItems: If the pool does not hold agents, and lacks this one.
        """
        at = self._clock()
        with self._database.write() as connection, chain.appending(connection, pool, at) as page:
            return strength_tests.put(connection, page, test)

    def tests(self, pool: str, agent: str | None = None, *, voided: bool = False) -> tuple[RecordedTest, ...]:
        """The tests of all agents of a pool or of one, oldest first; voided ones only if ``voided`` is true.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            chain.require(connection, pool)
            tests = strength_tests.recorded(connection, pool, agent)
        return tuple(test for test in tests if voided or not test.voided)

    # Predictions

    def record_prediction(self, pool: str, prediction: Prediction) -> None:
        """Record which agent a predictor expects to win a tournament; it replaces the predictor's last prediction.

        A prediction equal to that last one changes nothing.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If the tournament is resolved, and this is another prediction than the last one.
        """
        self._write(predictions.record, pool, prediction, self._clock())

    def resolve(self, pool: str, resolution: Resolution) -> dict[str, float]:
        """Record the winner of a tournament, and score the predictions of it; an equal resolution changes nothing.

        Returns:
            The Brier score of each predictor, in the order of their predictions.

        Raises:
            NotFound: If there is no such pool; or if there are predictions, and the winner is neither an agent nor
                predicted by anyone, so is probably misspelt.
            Conflict: If it is resolved already, with another winner.
        """
        return self._write(predictions.resolve, pool, resolution, self._clock())

    def predictions(self, pool: str, agent: str | None = None) -> tuple[RecordedPrediction, ...]:
        """The last prediction of each predictor on each tournament, of all agents or one, newest first.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(predictions.recorded, pool, agent)

    def record_domain_predictions(self, pool: str, predictions_: Sequence[DomainPrediction]) -> None:
        """Record predictions within domains, all or none; one whose id is already recorded changes nothing.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If one of that id is recorded with other content.
        """
        at, id_column = self._clock(), _IDS["prediction"]
        with self._database.write() as connection, chain.appending(connection, pool, at) as page:
            new = agent_evidence.fresh(connection, pool, id_column, predictions_, predictions.domain_prediction_of)
            agents = [prediction.agent for prediction in new]
            roster.enrol(connection, page, agents)
            with tallies.counting(connection, page, agents) as counted:
                for prediction in new:
                    page.add(schema.domain_prediction, **predictions.domain_prediction_values(prediction))
                    counted.outcome(prediction.agent, prediction.confidence, prediction.correct)

    def domain_predictions(
        self, pool: str, agent: str | None = None, domain: str | None = None
    ) -> tuple[RecordedDomainPrediction, ...]:
        """The predictions within domains, of all agents or one, in all domains or one, newest first.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(predictions.in_domains, pool, agent, domain)

    # Critiques and relations

    def record_critiques(self, pool: str, critiques: Sequence[Critique]) -> None:
        """Record critiques, all or none; one whose id is already recorded changes nothing.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If one of that id is recorded with other content.
        """
        at = self._clock()
        with self._database.write() as connection, chain.appending(connection, pool, at) as page:
            new = agent_evidence.fresh(connection, pool, _IDS["critique"], critiques, _critique_of)
            agents = [critique.agent for critique in new]
            roster.enrol(connection, page, agents)
            with tallies.counting(connection, page, agents) as counted:
                for critique in new:
                    values = {"critique": critique.id or None, "item": critique.agent, "accepted": critique.accepted}
                    page.add(schema.critique, **values)
                    counted.critique(critique.agent, critique.accepted)

    def record_relations(self, pool: str, relations_: Sequence[Relation]) -> None:
        """Add to the counts between agents, all or nothing; an addition whose id is recorded changes nothing.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If an addition of that id is recorded with other content.
            InvalidEvidence: If a sum grows beyond what a database can store.
        """
        at = self._clock()
        with self._database.write() as connection, chain.appending(connection, pool, at) as page:
            relations.put(connection, page, relations_)

    def relations(self, pool: str, agent: str | None = None) -> tuple[Relation, ...]:
        """The counts between the agents of each pair, ``a`` sorting before ``b``, in the order of the pairs.

        Args:
            pool: The pool.
            agent: Only pairs with this agent.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(relations.sums, pool, agent)

    def relation(self, pool: str, a: str, b: str) -> Relation | None:
        """The counts between two agents, seen from ``a``; None if there are none.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(relations.between, pool, a, b)

    # All evidence, by its ids

    def evidence(
        self,
        pool: str,
        *,
        kind: EvidenceKind | None = None,
        agent: str | None = None,
        count: int | None = None,
        before: int | None = None,
    ) -> tuple[RecordedEvidence, ...]:
        """The evidence about agents, voided evidence too, newest first.

        Args:
            pool: The pool.
            kind: Only this kind.
            agent: Only evidence about this agent.
            count: The largest number of pieces; None for all.
            before: Only evidence before this sequence number.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            chain.require(connection, pool)
            return agent_evidence.newest(connection, pool, kind=kind, agent=agent, count=count, before=before)

    def existing_ids(self, pool: str, kind: WithId, ids: Sequence[str]) -> frozenset[str]:
        """Those of some ids under which evidence of a kind is recorded; a prediction is one within a domain.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            chain.require(connection, pool)
            return agent_evidence.existing(connection, pool, _IDS[kind], ids)

    def void(
        self, pool: str, id: str, reason: str, *, kind: EvidenceKind | None = None, also: Sequence[str] = ()
    ) -> VoidedEvidence:
        """Void a piece of evidence: it stays on record, and ratings and counts become what the rest implies.

        Voided evidence cannot be restored; record it again under another id. Voiding it again changes nothing.

        Args:
            pool: The pool.
            id: Its id or its reference, as ``evidence`` returns them; for a resolution, its tournament.
            reason: Why it is voided.
            kind: Its kind; None for any.
            also: Other ids under which it may be recorded.

        Raises:
            NotFound: If there is no such pool, or no such evidence; the message names the nearest ids.
            Conflict: If the id matches several pieces of evidence; the message names the reference of each.
        """
        return self._write(rollback.record_void, pool, (id, *also), reason, self._clock(), kind)


def _critique_of(row: Row[tuple[Any, ...]]) -> Critique:
    return Critique(id=row.critique or "", agent=row.item, accepted=row.accepted)
