"""A ledger of four agents whose every number is worked out by hand, for tests of what the live board says of them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from paragone.agents import EloSystem


class Now:
    """A clock that is a minute on each time it is asked."""

    def __init__(self) -> None:
        self._at = datetime(2026, 5, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self._at += timedelta(minutes=1)
        return self._at


def debated(db: Path) -> Path:
    """Ada beats Ben thrice, Ben beats Cyd twice, Cyd and Ada draw; two domains; dan has done nothing."""
    with EloSystem(db, snapshot=False, warn=False, durable=False, outcome="win", now=Now()) as elo:
        for number, (winner, loser, domain) in enumerate(
            [("ada", "ben", "law"), ("ada", "ben", "law"), ("ben", "cyd", "art"), ("ada", "ben", None),
             ("ben", "cyd", "law")],
            start=1,
        ):  # fmt: skip
            elo.record_match(f"d{number}", [winner, loser], {winner: 1.0, loser: 0.0}, domain, task="whether it is so")
        elo.record_match("d6", ["cyd", "ada"], {"cyd": 0.5, "ada": 0.5}, "art")
        elo.register_agent("dan", model="model-d")
        for number, correct in enumerate([True, True, True, True, False, False]):
            elo.record_domain_prediction("ada", "law", 0.8, correct, prediction_id=f"p{number}")
        elo.record_domain_prediction("ben", "art", 0.5, True, prediction_id="q")
        elo.record_winner_prediction("cup", "ben", "ada", 0.9)
        elo.record_winner_prediction("cup", "cyd", "ben", 0.6)
        elo.record_winner_prediction("open", "ada", "cyd", 0.7)
        elo.resolve_tournament_calibration("cup", "ada")
        elo.update_relationship("ada", "ben", debate_increment=20, agreement_increment=2, a_win=5, b_win=5)
        elo.update_relationship(
            "ben", "cyd", debate_increment=4, agreement_increment=4, critique_a_to_b=2, critique_accepted_a_to_b=2
        )
        elo.record_redteam_result("ada", 0.9, 1, 10, session_id="s1", domain="law")
        elo.record_redteam_result("ada", 0.3, 8, 10, 2, session_id="s2")
        elo.update_from_verification("ada", "art", 3, 1, verification_id="v1")
        elo.record_critique("ada", True, critique_id="c1")
        elo.record_critique("ada", False, critique_id="c2")
    return db
