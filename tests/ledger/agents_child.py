"""A writer of evidence about agents, which other threads and processes write about too."""

import sys
import time
from pathlib import Path

from paragone.domain import (
    Critique,
    Dealings,
    DomainPrediction,
    ItemKind,
    Match,
    Prediction,
    RatingConfig,
    Relation,
    Resolution,
    Scorecard,
)
from paragone.ledger import Ledger

POOL = "agents"
AGENTS = ("claude", "gpt", "gemini", "llama")
EIGHTH = 0.125  # sums of eighths and their squares are exact, in whatever order


def write(ledger: Ledger, name: str, count: int) -> None:
    """Of everything that there is about agents, so many; what is called shared, every writer records."""
    for number in range(count):
        a, b, c = (AGENTS[(number + step) % 4] for step in range(3))
        own = Scorecard(participants=(a, b, c), scores=(0.8, 0.6, 0.4), domain="law")
        shared = Scorecard(participants=("claude", "gpt"), scores=(1.0, 0.0))
        ledger.agents.record_matches(POOL, [Match.scored(f"{name}.{number}", own)])
        ledger.agents.record_matches(POOL, [Match.scored(f"shared.{number}", shared)])
        known = DomainPrediction(agent=a, domain="law", confidence=EIGHTH * (number % 8), correct=number % 2 == 0)
        ledger.agents.record_domain_predictions(POOL, [known])
        ledger.agents.record_critiques(
            POOL, [Critique(agent=a, accepted=True), Critique(id=f"{number}", agent=b, accepted=False)]
        )
        ledger.agents.record_relations(
            POOL, [Relation(a=b, b=a, dealings=Dealings(debates=1, a_wins=1, critiques_b_to_a=2))]
        )
        tournament = f"{name}'s {number}"
        ledger.agents.record_prediction(POOL, Prediction(tournament=tournament, predictor=c, winner=a, confidence=0.25))
        ledger.agents.record_prediction(POOL, Prediction(tournament=tournament, predictor=c, winner=a, confidence=0.5))
        ledger.agents.resolve(POOL, Resolution(tournament=tournament, winner=b))


def main() -> None:
    url, folder, name, count = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    (folder / f"{name}.ready").touch()
    while len(list(folder.glob("*.ready"))) < 4:
        time.sleep(0.005)
    with Ledger.open(url, durable=False) as ledger:
        ledger.pools.create(POOL, RatingConfig(initial=1500.0, k=32.0), kind=ItemKind.AGENT)
        write(ledger, name, count)


if __name__ == "__main__":
    main()
