"""Debating agents whose truth is known: what a ledger of their debates and predictions finds out again.

Eight invented agents debate three at a time in two domains. How strong each is, where it is stronger, and how sure it
makes itself sound is stated below, so that the board and the verdicts can be held against it. Run it with a file name
to keep the ledger: ``python examples/agents.py agents.db``, then ``paragone agents board --db agents.db``.
"""

import math
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from paragone.agents import EloSystem

STRENGTHS = {"ada": 170, "ben": 110, "cleo": 60, "dan": 20, "eve": -20, "finn": -60, "gus": -110, "hana": -170}
"""Elo points above the mean of all."""

SPECIALISTS = {("ben", "law"): 120, ("gus", "science"): 150}
"""What somebody is worth more in one domain."""

SHARPNESS = {"ada": 1.0, "ben": 2.2, "cleo": 1.0, "dan": 0.4}
"""What these multiply the log-odds of the truth by when they say how sure they are: above 1 is overconfident."""

DOMAINS = ("law", "science")
DEBATES = 400
PREDICTIONS = 300
"""By each of those who predict."""

SCALE = 400 / math.log(10)
"""Elo points a nat."""


def debate(rng: random.Random, number: int) -> dict[str, Any]:
    """One debate among three: by these scores, a beats b as often as their difference in Elo points says."""
    domain = rng.choice(DOMAINS)
    participants = rng.sample(sorted(STRENGTHS), 3)
    scores = {}
    for name in participants:
        luck = -math.log(-math.log(rng.random()))  # the maximum of several such numbers follows the Elo model
        worth = STRENGTHS[name] + SPECIALISTS.get((name, domain), 0) + SCALE * luck
        scores[name] = round(1 / (1 + math.exp(-worth / 400)), 4)
    return {"debate_id": f"debate-{number}", "participants": participants, "scores": scores, "domain": domain}


def prediction(rng: random.Random, agent: str) -> dict[str, Any]:
    """One prediction: what is true comes as often as it should, and the agent says something sharper or blunter."""
    odds = rng.uniform(-0.5, 2.5)
    said = 1 / (1 + math.exp(-odds * SHARPNESS[agent]))
    correct = rng.random() < 1 / (1 + math.exp(-odds))
    return {"agent_name": agent, "domain": rng.choice(DOMAINS), "confidence": round(said, 2), "correct": correct}


def record(elo: EloSystem, seed: int = 2) -> None:
    """Everything that happened, always the same."""
    rng = random.Random(seed)
    elo.record_matches([debate(rng, number) for number in range(1, DEBATES + 1)])
    elo.record_domain_predictions([prediction(rng, agent) for agent in SHARPNESS for _ in range(PREDICTIONS)])


def show(elo: EloSystem) -> None:
    """The board beside the truth, and who knows how sure to be."""
    print("rank  agent  strength  interval      truth   Elo")
    strengths = elo.get_strengths()
    centre = sum(found.strength for found in strengths) / len(strengths)
    for found in strengths:
        # what a specialist is worth more counts in half of the debates
        extra = sum(SPECIALISTS.get((found.agent, domain), 0) for domain in DOMAINS) / len(DOMAINS)
        truth = centre + STRENGTHS[found.agent] + extra - sum(SPECIALISTS.values()) / len(DOMAINS) / len(STRENGTHS)
        running = elo.get_rating(found.agent).elo
        print(
            f"{found.rank:>4}  {found.agent:<5}  {found.strength:>8.0f}  {found.low:.0f} to {found.high:.0f}  "
            f"{truth:>5.0f}  {running:>4.0f}"
        )
    print()
    for agent, sharpness in SHARPNESS.items():
        print(f"{agent} multiplies log-odds by {sharpness}: {elo.calibration(agent).verdict}")


def main(db: str | Path) -> None:
    """Record and show."""
    with EloSystem(db, outcome="win", normalize="n-1") as elo:
        record(elo)
        show(elo)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(folder) / "agents.db")
