"""Does use bring up what is true, or what is loud? Lives of a memory, through its public API.

    .venv/bin/python benchmarks/memory_feedback.py [--seeds N] [--first SEED] [--sessions N] [--setting NAME] [--json]

A folder of 200 files on 10 topics. Each topic has one true file, which names the topic's words three times, one bait,
which names them eight times, and 18 plain files, which name them 2.4 times on average: so in a fresh store the bait is
first and the true file about eighth. A session is one of three agents who
searches a topic, looks at rank k with probability 1/(1 + 0.7 (k - 1)), and opens what it looks at: bait with 0.85, the
true file with 0.6, plain ones with 0.35. R is not supplied. What an agent does next is the setting: whether it reports
what was of use, whether the true file ends its search, whether bait fools it.

Told, with standard errors over seeds: the share of pairs of a true file and a bait in which the true one has the higher
P(useful) (AUC), and the lowest of the seeds; the same against plain files; the mean rank of the true files and of the
baits in a search at the end; how many of all files have usefulness that is called known. For newcomers: after how many
searches of its topic a true file that appears in the middle is among the first three, and in how many of its first 15
searches a useless one is.

The weights of search and the model's constants are not fitted to these lives. Seeds from 300 on.
"""

import argparse
import json
import math
import statistics
import tempfile
import time
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import numpy as np
from rating_table import Table, as_json, as_text

from paragone import Memory

TOPICS, FILES, SHOWN, AGENTS = 10, 20, 10, 3
HITS = {"true": 3, "bait": 8}
OPENED = {"true": 0.6, "bait": 0.85, "plain": 0.35}
TOP, NEWCOMER_SEARCHES = 3, 15


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What agents do.

    Attributes:
        reports: The share of uses that each agent reports.
        stops: Whether a search ends with what was useful.
        fooled: The share of opened baits that end a search as if they had helped.
        false_reports: The share of opened baits that are reported as used.
        contradicts: The share of opened baits that are reported as wrong.
        drifts: Whether another file of each topic is the true one from half-time on.
        newcomer: A file that appears in each topic at half-time: ``true`` (and the old one ceases), or ``useless``.
        sessions: Sessions more, or fewer, than asked for.
        bar: The least mean AUC; None if none is asked for.
    """

    reports: tuple[float, ...] = (0.0,) * AGENTS
    stops: bool = True
    fooled: float = 0.0
    false_reports: float = 0.0
    contradicts: float = 0.0
    drifts: bool = False
    newcomer: str = ""
    sessions: int = 0
    bar: float | None = 0.95


USED = (0.8,) * AGENTS
SETTINGS = {
    "reads only, a true file ends the search": Setting(),
    "the same, bait fools 30 % into stopping": Setting(fooled=0.3),
    "reads only, nobody stops: no signal": Setting(stops=False, bar=0.5),
    "used reported 80 %": Setting(reports=USED),
    "used reported 80 %, nobody stops": Setting(reports=USED, stops=False),
    "bait contradicted 25 %": Setting(contradicts=0.25),
    "both": Setting(reports=USED, contradicts=0.25),
    "used reported, 20 % false reports, 30 % fooled": Setting(reports=USED, false_reports=0.2, fooled=0.3, bar=0.9),
    "agents report 80/20/0 %": Setting(reports=(0.8, 0.2, 0.0), bar=0.9),
    "agents report 80/20/0 %, nobody stops": Setting(reports=(0.8, 0.2, 0.0), stops=False, bar=0.9),
    "drift, used reported": Setting(reports=USED, drifts=True, sessions=150, bar=0.9),
    "drift, reads only": Setting(drifts=True, sessions=150, bar=0.9),
    "newcomer, used reported": Setting(reports=USED, newcomer="true"),
    "newcomer, reads only": Setting(newcomer="true"),
    "useless newcomer, used reported": Setting(reports=USED, newcomer="useless"),
}


@dataclass(kw_only=True)
class World:
    """The files of each topic by what they are, and the luck of a life."""

    rng: np.random.Generator
    root: Path
    kinds: dict[str, str] = field(default_factory=dict)

    @classmethod
    def drawn(cls, seed: int, root: Path) -> "World":
        world = cls(rng=np.random.default_rng(seed), root=root)
        for topic in range(TOPICS):
            for number, place in enumerate(world.rng.permutation(FILES).tolist()):
                kind = {0: "true", 1: "bait"}.get(number, "plain")
                hits = HITS.get(kind, min(int(world.rng.poisson(2.4)), 7))
                world.write(f"topic{topic}_{place:02}.txt", topic, hits, kind)
        return world

    def write(self, path: str, topic: int, hits: int, kind: str) -> None:
        """A file of 80 words, some of which are the topic's."""
        filler = [f"w{number}" for number in self.rng.integers(0, 2000, 80 - hits).tolist()]
        own = [f"subject{topic}{'abc'[number % 3]}" for number in range(hits)]
        text = self.rng.permutation([*filler, *own]).tolist()
        (self.root / path).write_text("\n".join(" ".join(text[at : at + 8]) for at in range(0, 80, 8)) + "\n")
        self.kinds[path] = kind

    def of(self, kind: str, topic: int | None = None) -> list[str]:
        """The files of a kind, of one topic or of all."""
        own = "topic" if topic is None else f"topic{topic}_"
        return sorted(path for path, of in self.kinds.items() if of == kind and path.startswith(own))


def query(topic: int) -> str:
    return " ".join(f"subject{topic}{letter}" for letter in "abc")


def lived(seed: int, setting: Setting, sessions: int, folder: Path) -> dict[str, float]:
    """One life; the figures at its end."""
    world, clock, ids = World.drawn(seed, folder), count(1_700_000_000, 600), count()
    now = [float(next(clock))]
    newcomers: dict[int, list[int]] = {}
    length = sessions + setting.sessions
    with Memory.create(folder, clock=lambda: now[0], new_id=lambda: f"{seed}-{next(ids)}") as memory:
        memory.index(vectors=False)
        for number in range(length):
            now[0] = float(next(clock))
            if number == length // 2 - setting.sessions // 2:
                _change(world, setting)
                memory.index(vectors=False)
            agent, topic = int(world.rng.integers(AGENTS)), int(world.rng.integers(TOPICS))
            shown = _session(memory.session(f"agent{agent}"), world, setting, agent, topic)
            new = f"topic{topic}_new.txt"
            if new in world.kinds:
                newcomers.setdefault(topic, []).append(shown.index(new) + 1 if new in shown else SHOWN + 1)
        return _figures(memory, world, newcomers)


def _change(world: World, setting: Setting) -> None:
    for topic in range(TOPICS) if setting.drifts or setting.newcomer else ():
        old = world.of("true", topic)[0]
        if setting.drifts:
            chosen = world.of("plain", topic)[int(world.rng.integers(FILES - 2))]
            world.kinds |= {old: "plain", chosen: "true"}
        elif setting.newcomer == "true":
            world.kinds[old] = "plain"
            world.write(f"topic{topic}_new.txt", topic, HITS["true"], "true")
        else:
            world.write(f"topic{topic}_new.txt", topic, HITS["true"], "plain")


def _session(memory: Memory, world: World, setting: Setting, agent: int, topic: int) -> list[str]:
    """One search and what it leads to; the files that it showed."""
    shown = [result.path for result in memory.search(query(topic), what="file", limit=SHOWN).results]
    for rank, path in enumerate(shown):
        kind, luck = world.kinds[path], world.rng.random(5)
        if luck[0] > 1.0 / (1.0 + 0.7 * rank) or luck[1] > OPENED[kind]:
            continue
        memory.read(path)
        if kind == "true" and luck[2] < setting.reports[agent]:
            memory.used(path)
        if kind == "bait" and luck[2] < setting.false_reports:
            memory.used(path)
        if kind == "bait" and luck[3] < setting.contradicts:
            memory.contradicted(path)
        if (kind == "true" and setting.stops) or (kind == "bait" and luck[4] < setting.fooled):
            break
    memory.end_session()
    return shown


def _figures(memory: Memory, world: World, newcomers: dict[int, list[int]]) -> dict[str, float]:
    ratings = {path: memory.rating(path) for path in world.kinds}
    useful = {path: rating.usefulness for path, rating in ratings.items()}
    ranks: dict[str, list[int]] = {"true": [], "bait": []}
    for topic in range(TOPICS):
        paths = [result.path for result in memory.search(query(topic), what="file", limit=30).results]
        for kind, found in ranks.items():
            found += [paths.index(path) + 1 if path in paths else 30 for path in world.of(kind, topic)]
    first = [next((n for n, rank in enumerate(seen, 1) if rank <= TOP), len(seen) + 1) for seen in newcomers.values()]
    there = [sum(rank <= TOP for rank in seen[:NEWCOMER_SEARCHES]) for seen in newcomers.values()]
    return {
        "auc": auc([useful[p] for p in world.of("true")], [useful[p] for p in world.of("bait")]),
        "plain": auc([useful[p] for p in world.of("true")], [useful[p] for p in world.of("plain")]),
        "need": auc([ratings[p].need for p in world.of("true")], [ratings[p].need for p in world.of("bait")]),
        "true": statistics.fmean(ranks["true"]),
        "bait": statistics.fmean(ranks["bait"]),
        "known": statistics.fmean(rating.is_known for rating in ratings.values()),
        "first": statistics.median(first) if first else math.nan,
        "there": statistics.fmean(there) if there else math.nan,
    }


def auc(high: list[float], low: list[float]) -> float:
    """The share of pairs in which the first is higher; equal ones count half."""
    return statistics.fmean((a > b) + 0.5 * (a == b) for a in high for b in low)


def measured(setting: Setting, seeds: range, sessions: int) -> dict[str, list[float]]:
    lives = []
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
            lives.append(lived(seed, setting, sessions, Path(folder)))
    return {name: [life[name] for life in lives] for name in lives[0]}


def row(name: str, setting: Setting, found: dict[str, list[float]]) -> list[object]:
    error = statistics.stdev(found["auc"]) / math.sqrt(len(found["auc"])) if len(found["auc"]) > 1 else math.nan
    means = {key: statistics.fmean(values) for key, values in found.items()}
    met = setting.bar is None or means["auc"] >= setting.bar
    return [
        name,
        f"{means['auc']:.3f} ± {error:.3f} ({min(found['auc']):.2f})",
        "-" if setting.bar is None else f"{setting.bar:.2f} {'met' if met else 'MISSED'}",
        f"{means['plain']:.2f}",
        f"{means['need']:.2f}",
        f"{means['true']:.1f} / {means['bait']:.1f}",
        f"{means['known']:.0%}",
        "" if math.isnan(means["first"]) else f"{means['first']:.1f} / {means['there']:.1f} of 15",
    ]


COLUMNS = ["setting", "AUC true > bait (lowest)", "bar", "> plain", "by need", "rank true / bait", "known", "newcomer"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=300, help="the first seed")
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument("--setting", action="append", default=[], help="only settings whose name has this text")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    began, rows = time.process_time(), []
    for name, setting in SETTINGS.items():
        if not given.setting or any(text in name for text in given.setting):
            found = measured(setting, range(given.first, given.first + given.seeds), given.sessions)
            rows.append(row(name, setting, found))
    notes = [f"{given.seeds} seeds from {given.first}, {given.sessions} sessions"]
    told = Table(title="Lives of a memory without R", columns=COLUMNS, rows=rows, notes=notes)
    if given.json:
        print(json.dumps(as_json(told), indent=2))
    else:
        print(as_text(replace(told, notes=[*notes, f"{time.process_time() - began:.0f} CPU seconds"])))


if __name__ == "__main__":
    main()
