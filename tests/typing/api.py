"""The public API as a typed program uses it; never run, only checked by mypy."""

from collections.abc import Mapping
from pathlib import Path
from typing import assert_type

import paragone


def judge(first: paragone.Item, second: paragone.Item, criteria: str) -> str | None:
    if not criteria:
        return None
    return "first" if len(first.text) > len(second.text) else "second"


async def slow_judge(first: paragone.Item, second: paragone.Item, criteria: str) -> Mapping[str, object]:
    return {"winner": judge(first, second, criteria), "rationale": f"{first.id} or {second.id}"}


def watch(progress: paragone.Progress) -> None:
    assert_type(progress.done, int)
    assert_type(progress.board, paragone.Board | None)


def rank_texts() -> paragone.Board:
    board = paragone.rank(["one", "two", "three"], "length", judge=judge, budget=10, seed=1, observer=watch)
    with paragone.progress() as observer:
        assert_type(paragone.rank(["one", "two"], "length", judge=judge, observer=observer), paragone.Board)
    assert_type(paragone.Board.from_frame(board.to_pandas()), paragone.Board)
    assert_type(board, paragone.Board)
    for row in board.items:
        assert_type(row, paragone.BoardRow)
        assert_type(row.rating, float)
        assert_type(row.rank_low, int)
    assert_type(board["one"], paragone.BoardRow)
    assert_type(board.spending.cost, float | None)
    return board


def compare_prompts(new: Path, old: Path) -> paragone.PairedResult:
    result = paragone.compare(new, old, judge="local", db="votes.db", margin=0.05)
    assert_type(result.look.estimate, float | None)
    assert_type(result.calls, int)
    return result


async def compare_meanwhile() -> paragone.PairedResult:
    return await paragone.acompare({"q": "one", "r": "two"}, {"q": "two", "r": "one"}, judge=judge)


async def rank_texts_meanwhile() -> paragone.Board:
    pace = paragone.CallOptions(concurrency=4, per_minute=600, timeout=30, attempts=2)
    return await paragone.arank({"a": "one", "b": "two"}, "length", judge=slow_judge, pace=pace)


def rank_votes(votes: Path) -> None:
    imported: paragone.ImportResult = paragone.import_votes(votes, db="votes.db", into="mine")
    assert_type(imported.rows + imported.added, int)
    board = paragone.fit(votes, a="left", b="right", winner="winner", config=paragone.RatingConfig(k=24.0))
    options = paragone.VoteOptions(judge=False, repeats=None, plain=True, l2=0.01)
    assert_type(paragone.fit(votes, options=options, strict=True).notes, tuple[str, ...])
    assert_type(paragone.fit_shards([votes, "more.csv"], on="local", strict=True), paragone.Board)
    paragone.write(board, votes.with_suffix(".html"))
    paragone.write_plots(board, votes.with_suffix(".svg"))
    pages: tuple[Path, ...] = paragone.write_site(board, votes.parent / "site")
    print(pages)


def keep_a_tournament(db: Path) -> None:
    items = [paragone.Item(id="a", text="one"), paragone.Item(id="b", text="two")]
    with paragone.Tournament.create(items, judge="local", db=db, criteria="length") as tournament:
        assert_type(tournament, paragone.Tournament)
        assert_type(tournament.run(), paragone.Board)
        assert_type(tournament.whatif(paragone.WhatIf(k=16.0, without_judges=("local",))), paragone.Board)
        assert_type(tournament.audit().ok, bool)
    try:
        paragone.Tournament.open(db, "no such one")
    except paragone.ParagoneError as error:
        assert_type(error.exit_code, int)


def rate_agents(db: Path) -> None:
    with paragone.EloSystem(db, outcome="win", normalize="n-1", snapshot=False) as elo:
        assert_type(elo.record_match("d1", ["a", "b"], {"a": 0.8, "b": 0.6}, "security"), dict[str, float])
        assert_type(elo.record_match(winner="a", loser="b", draw=False, task="review"), dict[str, float])
        assert_type(elo.record_match("a", "b", True), dict[str, float])
        assert_type(elo.get_rating("a").calibration_score, float)
        assert_type(elo.get_rating("a").domain_elos, dict[str, float])
        assert_type([rating.elo for rating in elo.get_leaderboard(limit=10, domain="security")], list[float])
        assert_type(elo.resolve_tournament_calibration("t1", "a"), dict[str, float])
        assert_type(elo.get_elo_history("a"), list[tuple[str, float]])
        assert_type(elo.audit().ok, bool)


def remember_content(root: Path) -> None:
    with paragone.Memory.create(root) as memory:
        assert_type(memory.index(vectors=False).files, int)
        for result in memory.search("what costs what", how="keyword", limit=5).results:
            assert_type(memory.read(result.path).text, str)
        memory.cite("docs/adr/ADR-001.md")
        assert_type(memory.rating("prices.py").elo, float)
        assert_type(memory.rating("prices.py").is_high, bool | None)
        assert_type([row.need for row in memory.board("file", by="need").rows], list[float])
        assert_type([move.reason for move in memory.history("prices.py")], list[str])
        assert_type(memory.pack(tokens=8000).text, str)
        memory.end_session("success")
    with paragone.Memory.open(root, agent_id="reviewer", resume=True) as again:
        assert_type(again.rebuild().lines, int)
        assert_type(again.session("helper"), paragone.Memory)


def compare_methods() -> None:
    comparison = paragone.fit_methods([("a", "b", "a")], ["bt", "elo"], judge=False)
    assert_type([item.ranks["bt"] for item in comparison.items], list[int])


def ask_a_server() -> None:
    with paragone.Client("http://127.0.0.1:8321", "token") as client:
        assert_type([row.elo for row in client.pools.rows("a-1")], list[float])
        assert_type(client.pools.get("a-1").items, int)
        assert_type([event.version for event in client.events("a-1")], list[int])
        assert_type([row.elo for row in client.memory.rows("symbol", by="need")], list[float])
        assert_type(client.memory.pack(32_000, task="votes").tokens, int)
        assert_type(client.memory.get("a.md").r, float | None)
        assert_type([row.strength for row in client.agents.list(by="calibration")], list[float | None])
        assert_type(client.predictions.calibration("ada").brier.value, float)
        assert_type(client.debates.record("d1", {"ada": 0.8, "ben": 0.6}).winner, str | None)
