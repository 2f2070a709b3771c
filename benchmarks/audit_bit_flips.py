"""Single bits of a ledger file are flipped: does the audit report each one that changes what can be read?

    .venv/bin/python benchmarks/audit_bit_flips.py [--flips 150] [--seed 1] [--rounds 20] [--json]

The ledger holds every kind of evidence and projection. What a flip changes is told by a referee that is no part of the
audit: SQLite itself reads every row of every table in the order of the file, every entry of every index, and the
schema, from the untouched file and from the flipped one. A flip is *harmless* where both are the same bytes (free
pages, unused bytes of a page, parts of the header that nothing is read by). Exit code 1 if a flip is missed or ends in
an error that is not one of ours.
"""

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rating_table import Table, as_json, as_text

from paragone.domain import (
    Adjustment,
    AdjustmentKind,
    Choice,
    Comparison,
    Critique,
    Dealings,
    DebateTurn,
    DomainPrediction,
    Item,
    Match,
    Order,
    Pairing,
    Prediction,
    Ranking,
    RatingConfig,
    RedTeamResult,
    Relation,
    Resolution,
    Review,
    Scorecard,
    Speaker,
    Stage,
    Usage,
    Verdict,
)
from paragone.errors import ParagoneError
from paragone.ledger import Ledger
from paragone.wire.audit import Audit

HARMLESS, ROW, PLACE, CLOSED = (
    "harmless",
    "reported, row named",
    "reported, place named",
    "reported, cannot be read at all",
)
MISSED, FOREIGN = "MISSED", "TRACEBACK"
BAD = (MISSED, FOREIGN)

ITEMS = 12
TEXT = "An idea about the weather of number {number}, which is explained at some length and with an accent: é. "


@dataclass(frozen=True, kw_only=True, slots=True)
class Flip:
    """A bit that was flipped, and what came of it."""

    byte: int
    bit: int
    outcome: str
    message: str


def fill(path: Path, rounds: int) -> None:
    """Make a ledger with every kind of evidence: two tournaments, debates, groups, agents; some matches rolled back."""
    with Ledger.open(path, durable=False) as ledger:
        for name in ("ideas", "plans"):
            items = [Item(id=f"{name}-{n}", text=TEXT.format(number=n) * 3) for n in range(ITEMS)]
            pool = ledger.tournaments.create(name, settings={"criteria": "best"}, items=items, config=RatingConfig()).id
            for number in range(1, rounds + 1):
                _play(ledger, pool, [item.id for item in items], number)
            ledger.matches.rollback(pool, "1.2", "disputed")
            ledger.tournaments.add_event(pool, "stopped", {"reason": "done"})


def _play(ledger: Ledger, pool: str, ids: Sequence[str], number: int) -> None:
    dice = random.Random(f"{pool} {number}")
    pairs = [dice.sample(ids, 2) for _ in range(3)]
    ledger.tournaments.plan_round(pool, number, [Pairing(a=a, b=b) for a, b in pairs])
    for place, (a, b) in enumerate(pairs, 1):
        call, first = f"{number}.{place}.1", dice.random() < 0.5
        for turn in (1, 2):
            ledger.tournaments.record_turn(pool, _turn(call, turn))
        verdict = Verdict(
            choice=Choice.FIRST if first else Choice.SECOND,
            judge="llm:judge",
            rationale="It is clearer. " * 9,
            probability=dice.random(),
            usage=Usage(calls=1, input_tokens=700, cost=dice.random() / 100),
        )
        comparison = Comparison(call=call, first=a, second=b, verdict=verdict)
        ledger.tournaments.record_verdict(pool, comparison, key=f"{pool} {call}")
        match = Match.of(f"{number}.{place}", Pairing(a=a, b=b, orders=(Order.AB,)), (comparison,), round=number)
        ledger.matches.record(pool, match)
    shown = tuple(dice.sample(ids, 4))
    ranked = Verdict(choice=Choice.RANKED, judge="llm:judge", order=(2, 0, 3, 1), usage=Usage(calls=1))
    ranking = Ranking(call=f"{number}.9.1", shown=shown, verdict=ranked)
    ledger.matches.record(pool, Match.ranked(f"{number}.9", ranking, round=number))
    _agents(ledger, pool, ids, number, dice)


def _agents(ledger: Ledger, pool: str, ids: Sequence[str], number: int, dice: random.Random) -> None:
    a, b = sorted(dice.sample(ids, 2))
    card = Scorecard(participants=(a, b), scores=(dice.random(), dice.random()), domain="law")
    ledger.agents.record_matches(pool, [Match.scored(f"d{number}", card)])
    ledger.agents.register(pool, a, f"model-{number}")
    ledger.agents.record_test(
        pool, RedTeamResult(id=f"r{number}", item=a, robustness=0.85, successful=3, total=20, domain="law")
    )
    ledger.agents.record_prediction(pool, Prediction(tournament=f"t{number}", predictor=b, winner=a, confidence=0.75))
    ledger.agents.resolve(pool, Resolution(tournament=f"t{number}", winner=a))
    ledger.agents.record_domain_predictions(
        pool, [DomainPrediction(agent=b, domain="law", confidence=0.5, correct=True)]
    )
    ledger.agents.record_critiques(pool, [Critique(agent=b, accepted=True)])
    ledger.agents.record_relations(pool, [Relation(a=a, b=b, dealings=Dealings(debates=1, b_wins=1))])
    ledger.items.record_review(
        pool, Review(item=a, reviewer=f"reviewer-{number}", score=0.6, scores=(("novelty", 0.25),), text="Sound.")
    )
    decay = Adjustment(id=f"decay{number}", item=b, kind=AdjustmentKind.DECAY, target=1200.0, share=0.1, reason="decay")
    ledger.ratings.adjust(pool, [decay])


def _turn(call: str, number: int) -> DebateTurn:
    speaker = Speaker.FIRST if number % 2 else Speaker.SECOND
    return DebateTurn(call=call, number=number, speaker=speaker, stage=Stage.OPENING, content="It explains more. " * 9,
                      advocate="llm:advocate", usage=Usage(calls=1, input_tokens=300, cost=0.001))  # fmt: skip


def readable(path: Path) -> list[Any] | None:
    """All that SQLite reads from a file, as bytes: schema, rows, entries of indexes; None where it cannot."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as raw:
            raw.text_factory = bytes
            return list(_all(raw))
    except (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError):
        return None


def _all(raw: sqlite3.Connection) -> Iterator[Any]:
    catalogue = raw.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2").fetchall()
    yield catalogue
    for kind, name, table, _ in ([part.decode() for part in row[:3]] + [row[3]] for row in catalogue):
        if kind == "table":
            yield name, raw.execute(f'SELECT rowid, * FROM "{name}" NOT INDEXED ORDER BY rowid').fetchall()
        elif kind == "index":
            keys = [row[2].decode() for row in raw.execute(f'PRAGMA index_xinfo("{name}")') if row[5] and row[2]]
            listed = ", ".join(f'"{key}"' for key in keys)
            wanted = f'SELECT {listed}, rowid FROM "{table}" INDEXED BY "{name}"'
            yield name, raw.execute(f"{wanted} ORDER BY {listed}").fetchall()


def audited(path: Path) -> tuple[str, str]:
    """What the audit says of a file: how it is reported, and in which words; harmless where nothing is."""
    try:
        ledger = Ledger.open(path, create=False, durable=False, patience=1)
    except ParagoneError as error:
        return CLOSED, str(error)
    except Exception:  # noqa: BLE001 - that is what is counted
        return FOREIGN, traceback.format_exc()
    try:
        with ledger:
            report = ledger.audit()
    except ParagoneError as error:
        return CLOSED, str(error)
    except Exception:  # noqa: BLE001
        return FOREIGN, traceback.format_exc()
    return _said(report)


def _said(report: Audit) -> tuple[str, str]:
    if report.ok:
        return HARMLESS, ""
    how = ROW if any(difference.row != "" for difference in report.differences) else PLACE
    return how, "; ".join(f"{d.table} {d.row}: {d.message}" for d in report.differences)


def flipped(ledger: Path, work: Path, byte: int, bit: int, before: list[Any]) -> Flip:
    """Flip a bit of a copy, and ask the referee and the audit."""
    content = bytearray(ledger.read_bytes())
    content[byte] ^= 1 << bit
    for left in work.iterdir():
        left.unlink()
    copy = work / "flipped.db"
    copy.write_bytes(content)
    after = readable(copy)
    outcome, message = audited(copy)
    if outcome == HARMLESS and after != before:
        outcome = MISSED
    return Flip(byte=byte, bit=bit, outcome=outcome, message=message)


def flips(ledger: Path, work: Path, count: int, seed: int) -> Iterator[Flip]:
    """Random flips of a ledger file."""
    before = readable(ledger)
    if before is None:
        raise ValueError(f"{ledger} cannot be read")
    work.mkdir()
    dice, size = random.Random(seed), ledger.stat().st_size
    for _ in range(count):
        yield flipped(ledger, work, dice.randrange(size), dice.randrange(8), before)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--flips", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--all", action="store_true", help="print what was said of each flip")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "ledger.db"
        fill(ledger, options.rounds)
        size = ledger.stat().st_size
        results = list(flips(ledger, Path(folder) / "work", options.flips, options.seed))
    for flip in results:
        if options.all or flip.outcome in BAD:
            print(f"byte {flip.byte}, bit {flip.bit}: {flip.outcome}: {flip.message}", file=sys.stderr)
    counted = Counter(flip.outcome for flip in results)
    rows = [(outcome, counted[outcome]) for outcome in (HARMLESS, ROW, PLACE, CLOSED, MISSED, FOREIGN)]
    title = f"{options.flips} single-bit flips in a ledger of {size // 1024} kB, seed {options.seed}"
    table = Table(title=title, columns=("outcome", "flips"), rows=rows)
    print(json.dumps([as_json(table)]) if options.json else as_text(table))
    return 1 if any(counted[bad] for bad in BAD) else 0


if __name__ == "__main__":
    sys.exit(main())
