"""A small AI co-scientist around paragone's Ranking Agent: it runs offline, in seconds, and always the same.

    python examples/coscientist.py [--db FILE]

Everything but the ranking is a stand-in that fits on a page: hypotheses are put together from a mechanism, a model and
a readout; the reviewer and the judge know, with noise, what each part is worth. Replace any of them by your own agent:
the protocols that they fill are those of ``paragone.tournaments.agent``.
"""

import argparse
import asyncio
import itertools
import random
from collections.abc import Sequence

import numpy as np

from paragone import Tournament
from paragone.domain import Item, PatternConfig, PolicyConfig, Review, TournamentConfig, TournamentSystemConfig
from paragone.domain.records import EloUpdate, PatternAnalysis, RankingTask, ResourceMetrics, TaskType
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.similarity import SimilarityGraph
from paragone.tournaments.agent import RankingAgent

MECHANISMS = {"inhibiting KIRA6": 1.2, "blocking BET readers": 0.8, "silencing MYC": 0.3, "feeding butyrate": -0.6}
MODELS = {"patient-derived organoids": 0.9, "a mouse line": 0.2, "a cell line": -0.3, "an in-silico model": -0.9}
READOUTS = {"survival at a dose fixed beforehand": 0.8, "single-cell expression": 0.1, "a general improvement": -1.0}
PARTS = (MECHANISMS, MODELS, READOUTS)
Parts = tuple[int, int, int]

EVERY = list(itertools.product(*(range(len(part)) for part in PARTS)))
SYSTEM = TournamentSystemConfig(
    tournament_parameters=TournamentConfig(multi_turn_threshold=1240.0),
    pattern_analysis=PatternConfig(min_matches_for_analysis=60),
    policy=PolicyConfig(tournament_batch_size=12),
)


def name(parts: Parts) -> str:
    """The id of a hypothesis."""
    return "H" + "".join(str(part + 1) for part in parts)


def text(parts: Parts) -> str:
    """What it says."""
    mechanism, model, readout = (list(PARTS[place])[part] for place, part in enumerate(parts))
    claim = f"{mechanism[0].upper()}{mechanism[1:]} slows acute myeloid leukaemia."
    return f"{claim} We test it in {model}. We measure {readout}."


def worth(parts: Parts) -> float:
    """What nobody but the judge and the reviewer knows, in nats."""
    return sum(list(PARTS[place].values())[part] for place, part in enumerate(parts))


class Generation:
    """Puts hypotheses together that were not there yet; first by chance, later from the parts of those that win."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._made: set[Parts] = set()

    def draw(self, count: int) -> dict[str, str]:
        """New ones by chance."""
        return self._new(self._random.sample([one for one in EVERY if one not in self._made], count))

    def evolve(self, best: Sequence[str], count: int) -> dict[str, str]:
        """New ones that mix the parts of the best: the Evolution Agent."""
        parents = [one for one in EVERY if name(one) in set(best)]
        mixed = {tuple(self._random.choice(parents)[place] for place in range(3)) for _ in range(200)}
        return self._new(sorted(one for one in EVERY if one in mixed and one not in self._made)[:count])

    def _new(self, chosen: Sequence[Parts]) -> dict[str, str]:
        self._made.update(chosen)
        return {name(one): text(one) for one in chosen}


class Reflection:
    """Reviews hypotheses: roughly right."""

    async def reviews(self, hypotheses: Sequence[Item]) -> list[Review]:
        """One review of each that has a text."""
        noise = random.Random(5)
        by_name = {name(one): worth(one) for one in EVERY}
        scores = {item.id: 0.5 + by_name[item.id] / 8 + noise.uniform(-0.1, 0.1) for item in hypotheses}
        return [Review(item=id, reviewer="reflection", score=min(max(score, 0), 1)) for id, score in scores.items()]


class Nearness:
    """Hypotheses that share parts are alike."""

    async def graph(self, hypotheses: Sequence[Item]) -> SimilarityGraph:
        """The similarity graph of all there are."""
        phrases = [phrase for part in PARTS for phrase in part]
        vectors = np.array([[float(p.lower() in item.text.lower()) for p in phrases] for item in hypotheses])
        return SimilarityGraph.of(hypotheses, vectors=vectors)


class MetaReview:
    """Keeps what wins and what loses."""

    async def patterns(self, analysis: PatternAnalysis) -> None:
        """Say what was learned."""
        print(f"  meta-review, after {analysis.matches_analyzed} matches: {analysis.recommendation_for_generation}")


class Supervisor:
    """Gives the tasks, and is told of what comes of them."""

    def __init__(self) -> None:
        self.order: list[str] = []

    async def resources_needed(self, task: str, needed: ResourceMetrics) -> None:
        """A round is about to be played."""
        print(f"  {task}: {needed.compute_units:.0f} compute units at the most")

    async def ranking_updated(self, updates: Sequence[EloUpdate]) -> None:
        """A round was played."""
        most = max(updates, key=lambda update: abs(update.rating_change))
        print(f"  {len(updates)} ratings moved; {most.hypothesis_id} from {most.old_rating} to {most.new_rating}")

    async def prioritized(self, hypothesis_ids: Sequence[str]) -> None:
        """The ranking as it stands."""
        self.order = list(hypothesis_ids)


def newcomers(id: str, texts: dict[str, str]) -> RankingTask:
    """The task to take new hypotheses in, before anything else is done."""
    context = {"hypotheses": texts}
    return RankingTask(
        id=id, task_type=TaskType.NEW_HYPOTHESIS, hypothesis_ids=tuple(texts), priority=5, context=context
    )


async def research(db: str, generations: int = 4) -> list[str]:
    """Generate, review, rank, evolve; returns the ids from the best to the last."""
    generation, supervisor = Generation(seed=3), Supervisor()
    judge = SimulatedJudge({name(one): worth(one) for one in EVERY}, noise=0.7, ties=0.05, seed=7)
    with Tournament.create(
        generation.draw(14), criteria="novelty, correctness, testability, impact, clarity", judge=judge,
        advocate=ScriptedAdvocate(), pairing="weighted", system=SYSTEM, seed=1, name="aml", db=db,
    ) as tournament:  # fmt: skip
        agent = RankingAgent(
            tournament, supervisor=supervisor, proximity=Nearness(), reviews=Reflection(), meta_review=MetaReview()
        )
        for number in range(1, generations + 1):
            print(f"generation {number}: {len(tournament.state.items)} hypotheses")
            rounds = (f"round-{number}.1", f"round-{number}.2")
            for round in rounds:
                agent.submit(RankingTask(id=round, task_type=TaskType.TOURNAMENT_ROUND))
            ranking = f"ranking-{number}"
            agent.submit(RankingTask(id=ranking, task_type=TaskType.GLOBAL_RANKING, priority=-1, after=rounds))
            await agent.run()
            evidence = agent.tasks()[ranking].evidence
            print(f"  {ranking} rests on {evidence['matches']} matches of {evidence['rounds']} rounds")
            fresh = generation.evolve(supervisor.order[:7], 4) if number < generations else {}
            if fresh:
                agent.submit(newcomers(f"new-{number}", fresh))
                print(f"  evolved: {', '.join(fresh)}")
        _show(tournament)
    return supervisor.order


def _show(tournament: Tournament) -> None:
    board = tournament.board()
    print("the best:")
    for row in board.items[:3]:
        print(f"  {row.id}  {row.rating:.0f} ({row.low:.0f} to {row.high:.0f})  {row.text}")
    turns = tournament.ledger.tournaments.turns(tournament.state.id)
    print(f"{board.spending.decisions} verdicts, {len(turns)} turns of debates")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--db", default="sqlite://", help="the ledger; in memory where nothing is said")
    asyncio.run(research(parser.parse_args().db))


if __name__ == "__main__":
    main()
