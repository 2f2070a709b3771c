"""What protocols of judging are worth for equal tokens: direct comparisons, panels, debates, the rules that mix them.

    PARAGONE_DATA=../shared/data .venv/bin/python benchmarks/protocols.py
        [--sections equal_tokens debated tiers cascade] [--seeds 8] [--first 100] [--items 60] [--jobs N] [--json]

The items are real hypotheses (coscientist_logs), a sample of them for each seed. The judge is the simulated one: hidden
strengths with a standard deviation of 1.2 nats, logistic noise, 0.4 nats for the text shown first, 5 % faults, and a
noise for each protocol. It reports the tokens that a language model would take for these texts. Tau and recall of the
true top ten are those of the board, by strength. Parameters were chosen on seeds below 100.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean, stdev
from typing import Any

import numpy as np
from contender import score
from rating_table import Table, as_json, as_text
from real_data import Absent, folder

from paragone import CallOptions, Tournament
from paragone.domain import (
    MatchProtocol,
    OptimizationConfig,
    PolicyConfig,
    SchedulingConfig,
    TournamentConfig,
    TournamentSystemConfig,
)
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.debates.token_estimates import comparison_tokens
from paragone.judges.panel_judge import PanelJudge
from paragone.judges.simulated_judge import SimulatedJudge

PRICE = 0.001
"""US dollars of an answer of the cheap judge."""

CRITERIA = "novelty, correctness, testability, impact, clarity"
SPREAD, BIAS, FAULTS, TIES = 1.2, 0.4, 0.05, 0.05
WORLDS: Mapping[str, tuple[float, float]] = {
    "as assumed (x 1.3, x 1.6)": (1.3, 1.6),
    "depth helps much (x 1.8, x 4)": (1.8, 4.0),
    "depth helps nothing (x 1, x 1)": (1.0, 1.0),
}
"""How many times sharper than a direct verdict that of a panel debate is, and that of a debate in turns."""

STATED: Mapping[str, float] = {"panel_sharpness": 1.3, "debate_sharpness": 1.6, "debate_margin": 2.5}
"""What is taken to be known of the protocols, in every world."""

ARMS: Mapping[str, dict[str, Any]] = {
    "direct": {"debate_rule": "rating", "protocol": "direct"},
    "panel, all": {"debate_rule": "always", "protocol": "panel"},
    "debate, all": {"debate_rule": "always", "protocol": "debate"},
    "rating (the documents' rule)": {"debate_rule": "rating"},
    "worth, panel": {"debate_rule": "worth", "protocol": "panel", **STATED},
    "worth, debate": {"debate_rule": "worth", "protocol": "debate", **STATED},
    "worth, auto": {"debate_rule": "worth", "protocol": "auto", **STATED},
    "either, auto": {**STATED},
}


@cache
def texts() -> tuple[str, ...]:
    """The hypotheses, each text once."""
    with (folder("coscientist_logs") / "hypotheses.jsonl").open() as file:
        return tuple(sorted({json.loads(line)["text"] for line in file}))


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A tournament to be played.

    Attributes:
        items: How many hypotheses.
        seed: Decides which, their strengths, and everything else.
        direct: Token limit, in direct comparisons an item; None for no limit.
        panel: How many times sharper than a direct verdict that of a panel debate is.
        debate: The same for a debate in turns.
        policy: Parameters of the policy that are not the defaults.
        matches: Matches a round; half of the items by default.
        rounds: Rounds; as many as the tokens pay for by default.
        judges: ``cheap``, ``expert`` or ``cascade``, limited in money; empty for one judge limited in tokens.
        price: What an answer of the expert costs, in answers of the cheap one.
        sharper: How many times sharper the expert is.
    """

    items: int
    seed: int
    direct: float | None = 8.0
    panel: float = 1.3
    debate: float = 1.6
    policy: Mapping[str, Any] = field(default_factory=dict)
    matches: int | None = None
    rounds: int = 1000
    judges: str = ""
    price: float = 1.0
    sharper: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of a tournament.

    Attributes:
        tau: Kendall's tau with the truth.
        recall: Share of the true top ten among the first ten.
        tokens: Tokens taken, in thousands.
        matches: Matches played.
        debated: Share of the matches that were debates, in turns or in one answer.
        top_third: The same among the matches of two items of the top third (by the final board).
        in_turns: Share of the matches that were debates in turns.
        expert: Share of the matches that the expert of a cascade judged.
        elo_tau: Tau of the order by running Elo.
    """

    tau: float
    recall: float
    tokens: float
    matches: int
    debated: float
    top_third: float
    in_turns: float
    elo_tau: float
    expert: float = 0.0


def played(setting: Setting) -> Result:
    """Play a tournament until its tokens are spent."""
    rng = np.random.default_rng([setting.seed, 32])
    chosen = rng.choice(len(texts()), size=setting.items, replace=False)
    items = [{"id": f"h{n:03}", "text": texts()[index]} for n, index in enumerate(chosen.tolist())]
    truth = rng.standard_normal(setting.items) * SPREAD
    judge = judge_of(items, truth, setting)
    mean = fmean(comparison_tokens([len(item["text"])] * 2) for item in items)
    limit: Any = {}
    if setting.direct is not None:
        limit = {"max_tokens": int(setting.direct * setting.items * mean)}
    if setting.judges:
        limit = {"max_cost": setting.direct * setting.items * PRICE}
    with Tournament.create(
        items,
        judge=judge,
        advocate="none" if setting.judges else ScriptedAdvocate(tokens=None),
        criteria=CRITERIA,
        pairing="weighted",
        system=system(setting),
        seed=setting.seed,
        **limit,
    ) as tournament:
        tournament.run(pace=CallOptions(concurrency=64, wait=0.001))
        return result(tournament, items, truth)


def judge_of(items: Sequence[Mapping[str, str]], truth: np.ndarray, setting: Setting) -> Any:
    strengths = {item["id"]: float(value) for item, value in zip(items, truth, strict=True)}
    usual = {"bias": BIAS, "ties": TIES, "failures": FAULTS}
    cheap = SimulatedJudge(strengths, cost=PRICE, seed=setting.seed, **usual)
    noise, seed = 1 / setting.sharper, setting.seed + 1_000_000  # errs on its own
    expert = SimulatedJudge(strengths, cost=PRICE * setting.price, noise=noise, seed=seed, **usual)
    if setting.judges:
        cascade = PanelJudge([cheap, expert], cascade=True)
        return {"cheap": cheap, "expert": expert, "cascade": cascade}[setting.judges]
    return SimulatedJudge(
        strengths,
        bias=BIAS,
        ties=TIES,
        failures=FAULTS,
        panel_noise=1 / setting.panel,
        debate_noise=1 / setting.debate,
        tokens=None,
        seed=setting.seed,
    )


def system(setting: Setting) -> TournamentSystemConfig:
    """The defaults, without an early end, so that tokens compare."""
    return TournamentSystemConfig(
        tournament_parameters=TournamentConfig(match_batch_size=64),
        scheduling=SchedulingConfig(
            rounds_per_session=setting.rounds, matches_per_round=setting.matches or setting.items // 2
        ),
        optimization=OptimizationConfig(rating_stability_threshold=1.0),
        policy=PolicyConfig(clear_winner_gap=3999.0, **setting.policy),
    )


def result(tournament: Tournament, items: Sequence[Mapping[str, str]], truth: np.ndarray) -> Result:
    board, state = tournament.board(), tournament.state
    place = {row.id: row.rank for row in board.items}
    strength = {row.id: row.rating for row in board.items}
    third = {id for id, rank in place.items() if rank <= len(items) / 3}
    by_strength = score(np.array([strength[item["id"]] for item in items]), truth)
    by_elo = score(np.array([state.ratings[item["id"]].elo for item in items]), truth)
    kinds = Counter(match.protocol for match in state.matches)
    at_top = [match.protocol.is_debate for match in state.matches if {match.a, match.b} <= third]
    matches = kinds.total()
    levels = [pairing.level for past in state.rounds for pairing in past.pairings]
    return Result(
        tau=by_strength["tau"],
        recall=by_strength["recall"],
        tokens=tournament.ledger.tournaments.spending(state.id).tokens / 1000,
        matches=matches,
        debated=1 - kinds[MatchProtocol.SINGLE_TURN] / matches,
        top_third=fmean(at_top or [0.0]),
        in_turns=kinds[MatchProtocol.MULTI_TURN] / matches,
        elo_tau=by_elo["tau"],
        expert=fmean(levels),
    )


def spread(values: Sequence[float]) -> float:
    """Standard error of a mean."""
    return stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")


COLUMNS = ("tau", "s.e.", "top ten", "s.e.", "k tokens", "matches", "debated", "of them in the top third", "in turns")


def row(results: Sequence[Result]) -> tuple[float, ...]:
    def mean(name: str) -> float:
        return fmean(getattr(each, name) for each in results)

    tau, recall = ([getattr(each, name) for each in results] for name in ("tau", "recall"))
    rest = [mean(name) for name in ("tokens", "matches", "debated", "top_third", "in_turns")]
    return (fmean(tau), spread(tau), fmean(recall), spread(recall), *rest)


Play = Any
"""Plays settings on several processors, and keeps their order."""


def equal_tokens(play: Play, options: argparse.Namespace) -> list[Table]:
    """The protocols and rules for equal tokens."""
    tables, arms, played_before = [], {name: ARMS[name] for name in options.arms}, {}
    for world, (panel, debate) in WORLDS.items():
        settings = {
            (name, seed): Setting(
                items=options.items, seed=seed, direct=options.direct, panel=panel, debate=debate, policy=ARMS[name]
            )
            for name in arms
            for seed in seeds(options)
        }
        # direct comparisons are the same in every world
        fresh = {key: setting for key, setting in settings.items() if key not in played_before}
        results = dict(zip(fresh, play(list(fresh.values())), strict=True))
        played_before |= {key: result for key, result in results.items() if key[0] == "direct"}
        results |= played_before
        tables.append(
            Table(
                title=f"{options.items} hypotheses, tokens of {options.direct:g} direct comparisons an item: {world}",
                columns=("protocol", *COLUMNS),
                rows=grouped(arms, [results[key] for key in settings], options.seeds),
            )
        )
    return tables


def grouped(names: Mapping[str, object], results: Sequence[Result], seeds: int) -> list[tuple[Any, ...]]:
    return [(name, *row(results[at * seeds : (at + 1) * seeds])) for at, name in enumerate(names)]


def debated(play: Play, options: argparse.Namespace) -> list[Table]:
    """How often the defaults debate: a session of ten rounds of 50, without a limit in tokens."""
    rules = {"rating": {"debate_rule": "rating"}, "either, auto": {**STATED}}
    settings = [
        Setting(items=options.items, seed=seed, direct=None, policy=policy, matches=50, rounds=10)
        for policy in rules.values()
        for seed in seeds(options)
    ]
    rows = grouped(rules, play(settings), options.seeds)
    return [Table(title="Ten rounds of 50 at the defaults", columns=("rule", *COLUMNS), rows=rows)]


def tiers(play: Play, options: argparse.Namespace) -> list[Table]:
    """Tiers by running Elo and by strength."""
    ways = {
        f"{rule}, tiers by {by}": {"debate_rule": rule, "tiers_by": by, **STATED}
        for rule in ("rating", "either")
        for by in ("elo", "strength")
    }
    settings = [
        Setting(items=options.items, seed=seed, direct=options.direct, policy=policy)
        for policy in ways.values()
        for seed in seeds(options)
    ]
    rows = grouped(ways, play(settings), options.seeds)
    return [Table(title="What decides the tiers", columns=("rule", *COLUMNS), rows=rows)]


def cascade(play: Play, options: argparse.Namespace) -> list[Table]:
    """A cheap judge, an expert, and both as a cascade, for equal money."""
    tables = []
    for price, sharper in ((5.0, 3.0), (10.0, 2.0), (3.0, 1.0)):
        settings = [
            Setting(items=options.items, seed=seed, direct=options.direct, judges=judges, price=price, sharper=sharper)
            for judges in ("cheap", "expert", "cascade")
            for seed in seeds(options)
        ]
        results, count = play(settings), options.seeds
        rows = [
            (name, *row(part)[:4], fmean(each.matches for each in part), fmean(each.expert for each in part))
            for at, name in enumerate(("cheap", "expert", "cascade"))
            for part in [results[at * count : (at + 1) * count]]
        ]
        tables.append(
            Table(
                title=f"Equal money; the expert costs {price:g} times as much and is {sharper:g} times as sharp",
                columns=("judge", "tau", "s.e.", "top ten", "s.e.", "matches", "by the expert"),
                rows=rows,
            )
        )
    return tables


def seeds(options: argparse.Namespace) -> range:
    return range(options.first, options.first + options.seeds)


SECTIONS = {"equal_tokens": equal_tokens, "debated": debated, "tiers": tiers, "cascade": cascade}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", nargs="*", default=list(SECTIONS), choices=SECTIONS)
    parser.add_argument("--arms", nargs="*", default=list(ARMS), choices=ARMS)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--first", type=int, default=100, help="the first seed")
    parser.add_argument("--items", type=int, default=60)
    parser.add_argument("--direct", type=float, default=8.0, help="tokens, in direct comparisons an item")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        texts()
    except Absent as absent:
        sys.exit(f"skipped: {absent}")
    with ProcessPoolExecutor(options.jobs) as pool:
        tables = [
            table
            for name in options.sections
            for table in SECTIONS[name](lambda settings: list(pool.map(played, settings)), options)
        ]
    if options.json:
        print(json.dumps([as_json(table) for table in tables]))
    else:
        print("\n\n".join(as_text(table) for table in tables))


if __name__ == "__main__":
    main()
