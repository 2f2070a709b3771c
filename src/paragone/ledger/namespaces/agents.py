"""``ledger.agents``: agents that debate, with their matches, tests, predictions, critiques and relations."""

from collections.abc import Mapping, Sequence
from typing import Literal

from sqlalchemy import Column

from paragone.ledger import chain, rollback, schema
from paragone.ledger.databases.database import Namespace, appends, reads
from paragone.ledger.evidence import (
    agent_board,
    agent_evidence,
    agent_timeline,
    rating_changes,
    roster,
    scored_matches,
    strength_tests,
    tallies,
)
from paragone.ledger.evidence import predictions as predictions_
from paragone.ledger.evidence import relations as relations_

WithId = Literal["match", "prediction", "critique", "relation", "test", "adjustment"]
"""Kinds of evidence that may have an id, so that a second record with the same id changes nothing."""

_IDS: Mapping[WithId, Column[str]] = {
    "match": schema.match.c.match,
    "prediction": schema.domain_prediction.c.prediction,
    "critique": schema.critique.c.critique,
    "relation": schema.relation.c.relation,
    "test": schema.test.c.test,
    "adjustment": schema.adjustment.c.adjustment,
}


class Agents(Namespace):
    """The agents of pools.

    A method that records evidence also adds the agents that the evidence names and the pool lacks, in the same
    transaction.
    """

    register = appends(roster.register)
    records = reads(agent_board.records)
    rows = reads(agent_board.rows)
    board = reads(agent_board.board)
    board_rows = reads(agent_board.board_rows)
    statistics = reads(agent_board.statistics)

    # Matches and tests, which change ratings

    record_matches = appends(scored_matches.record)
    matches = reads(scored_matches.newest)
    count_matches = reads(scored_matches.count)
    score_columns = reads(scored_matches.columns)
    rating_history = reads(rating_changes.of_agent)
    record_test = appends(strength_tests.put)
    tests = reads(strength_tests.recorded)

    # Where ratings begin, and when agents become others

    adjust = appends(agent_timeline.adjust)
    timeline = reads(agent_timeline.timeline_of)

    # Predictions

    record_prediction = appends(predictions_.record)
    resolve = appends(predictions_.resolve)
    predictions = reads(predictions_.recorded)
    record_domain_predictions = appends(predictions_.record_in_domains)
    domain_predictions = reads(predictions_.in_domains)

    # Critiques and relations

    record_critiques = appends(tallies.record_critiques)
    record_relations = appends(relations_.put)
    relations = reads(relations_.sums)
    relation = reads(relations_.between)

    # All evidence, by its ids

    evidence = reads(agent_evidence.newest)

    def existing_ids(self, pool: str, kind: WithId, ids: Sequence[str]) -> frozenset[str]:
        """Which of some ids have evidence of a kind on record; of predictions, those within a domain.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            chain.require(connection, pool)
            return agent_evidence.existing(connection, pool, _IDS[kind], ids)

    void = appends(rollback.void)
