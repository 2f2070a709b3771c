"""What a dossier, panel debates and a cascade are worth to a tournament of real hypotheses, for equal tokens.

    PARAGONE_DATA=FOLDER .venv/bin/python benchmarks/hypotheses.py
        [--sections together ratio cascade] [--seeds 16] [--first 300] [--items 45] [--jobs N] [--json]

The judge is ``llm:`` with its own prompts, before a scripted model: it reads the two texts out of the prompt and
answers from hidden strengths with a standard deviation of 1.2 nats, with logistic noise, 0.4 nats for the text shown
first, 5 % ties between equals and 5 % faults. How sharply it tells texts apart depends on the protocol that the prompt
asks for and on whether a goal and a rubric stand in it. Tokens are those of the prompts that were sent, at four
characters each, and of answers of usual length. Differences are paired: the same hypotheses, strengths and draws.
Seeds below 100 were for choosing.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

import numpy as np
import protocols
from protocols import BIAS, CRITERIA, FAULTS, SPREAD, TIES, Result, result, spread, texts
from rating_table import Table, as_json, as_text
from real_data import Absent

from paragone import CallOptions, Tournament
from paragone.domain import Rubric
from paragone.errors import JudgeFailed
from paragone.judges.base import Judge, uniform
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.debates.token_estimates import verdict_tokens
from paragone.judges.llm_judge import LLMJudge
from paragone.judges.panel_judge import PanelJudge
from paragone.judges.simulated_judge import probabilities
from paragone.llm import ModelRequest, Price, Reply

CHARACTERS_A_TOKEN = 4
GOAL = "Find ways for AI agents to assist experiments, discovery and the design of systems that can be tested soon."
PREFERENCES = ("Prefer what can be tested within a year with means that are at hand.",)
CHEAP = Price(input_per_million=1.0, output_per_million=1.0)
"""So that dollars are tokens."""
_KEY = 160
"""Characters by which a text is recognised."""

ARMS: Mapping[str, dict[str, Any]] = {
    "direct": {"protocol": "direct"},
    "panel, all": {"debate_rule": "always", "protocol": "panel"},
    "auto, stated": {},
}
"""``auto`` is told how sharp a panel debate is; by default it takes it to be no sharper, and compares directly."""


@dataclass(frozen=True, kw_only=True)
class World:
    """How much sharper the model is than in a direct comparison without a dossier.

    Attributes:
        panel: In a panel debate.
        dossier: Where a dossier stands in the prompt.
        debate: In a debate of turns.
        expert: The expert of a cascade.
        price: What the expert's tokens cost, in the cheap one's.
    """

    panel: float = 1.3
    dossier: float = 1.3
    debate: float = 1.6
    expert: float = 2.0
    price: float = 3.0


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A tournament to be played.

    Attributes:
        seed: Decides which hypotheses, their strengths, and every draw.
        world: How sharp the model is.
        arm: Parameters of the policy.
        dossier: Whether there is one.
        judges: ``cheap``, ``expert`` or ``cascade``.
        items: How many hypotheses.
        direct: Token limit, in direct comparisons an item without a dossier.
    """

    seed: int
    world: World
    arm: Mapping[str, Any] = field(default_factory=dict)
    dossier: bool = False
    judges: str = "cheap"
    items: int = 45
    direct: float = 8.0


class ScriptedModel:
    """A client of a model with hidden strengths, which answers this package's prompts about pairs.

    Args:
        name: Its name.
        strengths: Strength by the beginning of the text.
        sharp: How sharp it is in this world: by protocol, and with a dossier.
        seed: Decides its draws.
    """

    host = base_url = None
    gives_logprobs = False
    price = None

    def __init__(self, name: str, strengths: Mapping[str, float], world: World, seed: int, expert: bool) -> None:
        self.model, self._strengths, self._world, self._seed = name, strengths, world, seed
        self._sharp = world.expert if expert else 1.0
        self._asked: dict[str, int] = {}

    async def ask(self, request: ModelRequest) -> Reply:
        """Answer, or fail."""
        system_words, user = (message.content for message in request.messages)
        attempt = self._asked[request.call] = self._asked.get(request.call, 0) + 1
        if uniform("failure", self._seed, request.call, attempt) < FAULTS:
            raise JudgeFailed("scripted fault", tokens=(0, 0))
        shown = _texts_of(user)
        panel, debate = '"votes"' in system_words, "[BEGIN TURN 1" in user
        sharp = self._sharp * (self._world.panel if panel else self._world.debate if debate else 1.0)
        sharp *= self._world.dossier if "[BEGIN GOAL " in user and "[BEGIN RUBRIC " in user else 1.0
        lead = self._strengths[shown[0]] - self._strengths[shown[1]]
        first, tie = probabilities(lead, bias=BIAS, ties=TIES, noise=1 / sharp)
        form = "panel" if panel else "debate" if debate else "direct"
        drawn = uniform("answer", self._seed, form, *shown)
        verdict = "first" if drawn < first else "tie" if drawn < first + tie else "second"
        answer = _answer(verdict, request.schema or {})
        received = verdict_tokens((), int(debate), panel=panel)[1]
        return Reply(
            text=json.dumps(answer),
            parsed=answer,
            input_tokens=(len(system_words) + len(user)) // CHARACTERS_A_TOKEN,
            output_tokens=received,
            model=self.model,
        )

    async def close(self) -> None:
        """Nothing to give back."""


def _texts_of(user: str) -> tuple[str, str]:
    """The beginnings of the two texts, in the order in which they are shown."""
    first, second = re.findall(r"\[BEGIN (?:FIRST|SECOND) \w+\]\n(.*?)\n\[END ", user, re.DOTALL)[:2]
    return first[:_KEY], second[:_KEY]


def _answer(verdict: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """An answer of the schema. Of five experts four vote for the verdict: votes say no more than it does."""
    side = {"first": 0.7, "second": 0.3} if verdict == "first" else {"first": 0.3, "second": 0.7}
    other = {"first": "second", "second": "first"}.get(verdict, verdict)
    values: dict[str, Any] = {
        "rationale": "It is better argued.",
        "verdict": verdict,
        "for_first": ["a"],
        "for_second": ["b"],
        "rebuttals": ["c"],
        "votes": [{"expert": f"e{n}", "reason": "r", "vote": verdict if n else other} for n in range(5)],
    }
    fields = schema.get("properties", {})
    if "scores" in fields:
        values["scores"] = dict.fromkeys(fields["scores"]["properties"], side)
    return {name: values[name] for name in fields} if fields else values


def judge_of(items: Sequence[Mapping[str, str]], truth: np.ndarray, setting: Setting) -> Judge:
    strengths = {item["text"][:_KEY]: float(value) for item, value in zip(items, truth, strict=True)}

    def model(name: str, seed: int, price: float) -> LLMJudge:
        client = ScriptedModel(name, strengths, setting.world, seed, name == "expert")
        cost = Price(input_per_million=price, output_per_million=price)
        return LLMJudge(name, client=client, price=cost)

    cheap, expert = model("cheap", setting.seed, 1.0), model("expert", setting.seed + 1_000_000, setting.world.price)
    if setting.judges == "cascade":
        return PanelJudge([cheap, expert], cascade=True)
    return expert if setting.judges == "expert" else cheap


def played(setting: Setting) -> Result:
    """Play a tournament until its tokens (at the cheap judge's price) are spent."""
    rng = np.random.default_rng([setting.seed, 32])
    pool = list({text[:_KEY]: text for text in texts()}.values())
    chosen = rng.choice(len(pool), size=setting.items, replace=False)
    items = [{"id": f"h{n:03}", "text": pool[index]} for n, index in enumerate(chosen.tolist())]
    truth = rng.standard_normal(setting.items) * SPREAD
    mean = fmean(sum(verdict_tokens([len(item["text"])] * 2)) for item in items)
    dossier = {"goal": GOAL, "rubric": Rubric.named(), "preferences": PREFERENCES} if setting.dossier else {}
    with Tournament.create(
        items,
        judge=judge_of(items, truth, setting),
        advocate="none" if setting.judges != "cheap" else ScriptedAdvocate(tokens=None),
        criteria=CRITERIA,
        pairing="weighted",
        system=protocols.system(protocols.Setting(items=setting.items, seed=setting.seed, policy=setting.arm)),
        seed=setting.seed,
        max_cost=setting.direct * setting.items * mean / 1e6,
        **dossier,
    ) as tournament:
        tournament.run(pace=CallOptions(concurrency=64, wait=0.001))
        return result(tournament, items, truth)


Play = Any
"""Plays settings on several processors, and keeps their order."""

RATIOS = (1.3, 1.5, 1.8)
"""How many times sharper a panel debate is, in the section ``ratio``."""

COLUMNS = ("tau", "s.e.", "top ten", "s.e.", "matches", "debated", "of them in the top third")
AGAINST = ("tau +", "s.e.", "top ten +", "s.e.")


def row(results: Sequence[Result]) -> tuple[float, ...]:
    def mean(name: str) -> float:
        return fmean(getattr(each, name) for each in results)

    tau, recall = ([getattr(each, name) for each in results] for name in ("tau", "recall"))
    rest = [mean(name) for name in ("matches", "debated", "top_third")]
    return (fmean(tau), spread(tau), fmean(recall), spread(recall), *rest)


def against(results: Sequence[Result], base: Sequence[Result]) -> tuple[float, ...]:
    """Mean differences over the same seeds, each with its standard error."""
    figures: list[float] = []
    for name in ("tau", "recall"):
        differences = [getattr(a, name) - getattr(b, name) for a, b in zip(results, base, strict=True)]
        figures += [fmean(differences), spread(differences)]
    return tuple(figures)


def seeds(options: argparse.Namespace) -> range:
    return range(options.first, options.first + options.seeds)


def setting(world: World, arm: str) -> Setting:
    """A tournament of an arm, for any seed."""
    known = {"panel_sharpness": world.panel, "debate_sharpness": world.debate} if arm == "auto, stated" else {}
    return Setting(seed=0, world=world, arm=ARMS[arm] | known)


def compared(play: Play, options: argparse.Namespace, title: str, arms: Mapping[str, Setting], base: str) -> Table:
    """A row for each arm, with its paired differences from the arm of the same dossier that ``base`` names."""
    settings = [replace(arm, seed=seed, items=options.items) for arm in arms.values() for seed in seeds(options)]
    results = play(settings)
    parts = {name: results[at * options.seeds : (at + 1) * options.seeds] for at, name in enumerate(arms)}
    rows = [(name, *row(part), *against(part, parts[base])) for name, part in parts.items()]
    return Table(title=title, columns=("judged", *COLUMNS, *AGAINST), rows=rows, notes=(f"+ : against {base}",))


def together(play: Play, options: argparse.Namespace) -> list[Table]:
    """With and without a dossier."""
    world = World()
    arms = {
        f"{name}, {'with' if dossier else 'no'} dossier": replace(setting(world, name), dossier=dossier)
        for dossier in (False, True)
        for name in ARMS
    }
    idle = replace(setting(replace(world, dossier=1.0), "direct"), dossier=True)
    title = f"Panel debates {world.panel:g} times as sharp, and all {world.dossier:g} times with a dossier"
    arms["direct, with a dossier that does not help"] = idle
    return [compared(play, options, title, arms, "direct, no dossier")]


def ratio(play: Play, options: argparse.Namespace) -> list[Table]:
    """From which sharpness a panel debate is worth its tokens."""
    world = World()
    arms = {"direct": setting(world, "direct")}
    for name in options.arms:
        for times in options.ratios:
            arms[f"{name}, {times:g} x"] = setting(replace(world, panel=times), name)
    return [compared(play, options, "Panel debates so many times as sharp as direct verdicts", arms, "direct")]


def cascade(play: Play, options: argparse.Namespace) -> list[Table]:
    """A cheap judge, an expert, and both as a cascade, for equal money, with and without a dossier."""
    world = World()
    arms = {
        f"{judges}, {'with' if dossier else 'no'} dossier": Setting(seed=0, world=world, judges=judges, dossier=dossier)
        for dossier in (False, True)
        for judges in ("cheap", "expert", "cascade")
    }
    title = f"Equal money; the expert costs {world.price:g} times as much and is {world.expert:g} times as sharp"
    return [compared(play, options, title, arms, "cheap, no dossier")]


SECTIONS = {"together": together, "ratio": ratio, "cascade": cascade}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", nargs="*", default=list(SECTIONS), choices=SECTIONS)
    parser.add_argument("--arms", nargs="*", default=["panel, all", "auto, stated"], choices=ARMS)
    parser.add_argument("--ratios", nargs="*", default=RATIOS, type=float)
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--first", type=int, default=300, help="the first seed")
    parser.add_argument("--items", type=int, default=45)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        texts()
    except Absent as absent:
        sys.exit(f"skipped: {absent}")
    with ProcessPoolExecutor(options.jobs) as pool:
        known: dict[str, Result] = {}

        def play(settings: Sequence[Setting]) -> list[Result]:
            """Sections share some tournaments."""
            fresh = {repr(each): each for each in settings if repr(each) not in known}
            known.update(zip(fresh, pool.map(played, fresh.values()), strict=True))
            return [known[repr(each)] for each in settings]

        tables = [table for name in options.sections for table in SECTIONS[name](play, options)]
    if options.json:
        print(json.dumps([as_json(table) for table in tables]))
    else:
        print("\n\n".join(as_text(table) for table in tables))


if __name__ == "__main__":
    main()
