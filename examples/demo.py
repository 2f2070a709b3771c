"""The demo, in two acts. No key, no network.

Act one ranks six texts live with a language model that runs here, and compares the board with the known order:
the texts were garbled, from none of their words to all of them. Act two ranks 24 research hypotheses from recorded
verdicts of a large language model, and compares the board with the order that their author had in mind.
"""

import csv
import itertools
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

import fluency
import paragone
from paragone.domain import JudgeReport

HERE = Path(__file__).parent
TOP = HERE.parent
PAGE = Path("out/demo.html")
LEDGER = Path("out/demo.db")
VERDICTS = HERE / "hypotheses_verdicts.jsonl"
SEED = 7
BUDGETS = range(6, 31, 4)
TEXTS = """\
The library opens at nine, and the desk will lend you ten books for four weeks.
Mix flour, water, salt and yeast, and bake the loaf until it sounds hollow.
The train to the coast leaves from platform three, and the ride is short.
Water the tomatoes early in the day, and tie each plant to a stick.
Our school choir practises after lunch, and nobody needs to read music.
The bridge is closed on Sunday, so drivers should go through the old town.
""".splitlines()


def garbled_texts() -> dict[str, str]:
    """Six texts by id; ``g0`` has none of its words garbled and ``g5`` all."""
    return {f"g{level}": fluency.garble(text, level / 5, level) for level, text in enumerate(TEXTS)}


def intended() -> dict[str, int]:
    """The tier of every hypothesis, 1 being the best."""
    with (HERE / "hypotheses_order.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: int(row["tier"]) for row in csv.DictReader(file)}


def json_lines(path: Path) -> list[dict[str, str]]:
    """The objects of a file that has one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def agreement(order: Sequence[str], tiers: Mapping[str, int]) -> tuple[float, float, int]:
    """How an order agrees with tiers, over the pairs that the tiers tell apart.

    Returns:
        The share of pairs in the intended order; Kendall's tau, which is that share on a scale from -1 to 1 (0 for
        a random order); and the number of pairs.
    """
    pairs = [(above, below) for above, below in itertools.combinations(order, 2) if tiers[above] != tiers[below]]
    share = sum(tiers[above] < tiers[below] for above, below in pairs) / len(pairs)
    return share, 2 * share - 1, len(pairs)


def table(
    title: str, board: paragone.Board, texts: Mapping[str, str], beside: tuple[str, Mapping[str, str]], width: int
) -> Table:
    """A board for a terminal of that width, with a heading and a figure of each item beside its rating."""
    heading, figures = beside
    view = Table(title=title, box=None, title_justify="left")
    for name in ("rank", "between", "rating", heading, "item"):
        view.add_column(name, justify="right")
    view.add_column("text", no_wrap=True, max_width=max(20, width - 33 - len(heading)))
    for row in board.items:
        ranks = f"{row.rank_low}-{row.rank_high}"
        view.add_row(f"{row.rank}", ranks, f"{row.rating:.0f}", figures[row.id], row.id, texts[row.id])
    return view


def live(console: Console, budgets: Sequence[int] = BUDGETS) -> paragone.Board:
    """Act one: rank the garbled texts, drawing the board after every few comparisons."""
    texts = garbled_texts()
    garbled = "garbled", {id: f"{int(id[1:]) / 5:.0%}" for id in texts}
    tournament = paragone.Tournament.create(
        texts, criteria="fluent English", judge=fluency.more_fluent, db=TOP / LEDGER, seed=SEED, budget=budgets[0]
    )
    with tournament, Live(console=console, auto_refresh=False) as screen:
        for budget in budgets:
            tournament.extend(budget=budget)
            board = tournament.run()
            view = table(f"{budget} comparisons", board, texts, garbled, console.width)
            if console.is_terminal:
                screen.update(view, refresh=True)
            else:
                console.print(f"{budget} comparisons: {' '.join(row.id for row in board.items)}", highlight=False)
        if not console.is_terminal:
            screen.update(view)
    levels = {id: int(id[1:]) for id in texts}
    _, tau, _ = agreement([row.id for row in board.items], levels)
    console.print(
        "\nThe texts were garbled, from 0 to 100% of their words, so their order is known. Agreement with it: "
        f"Kendall tau {tau:+.2f}, where 1 is the same order and 0 is chance. The judge is SmolLM2, a model of "
        "135 million parameters, on this machine.\n",
        highlight=False,
    )
    return board


def reasons(verdicts: Sequence[Mapping[str, str]], order: Sequence[str], best: int = 2) -> list[str]:
    """Why the first item of a board won: one verdict over each of the best items that it met."""
    top, *others = order
    found = {}
    for verdict in verdicts:
        winner, loser = (verdict["a"], verdict["b"])[:: 1 if verdict["winner"] == "a" else -1]
        if winner == top:
            found.setdefault(loser, verdict["reason"])
    return [f"{top} over {other}: {found[other]}" for other in others if other in found][:best]


def same_in_both_orders(verdicts: Sequence[Mapping[str, str]]) -> tuple[int, int]:
    """How many pairs got the same answer in both orders, and how many were shown in both."""
    winners = {(verdict["a"], verdict["b"]): verdict[verdict["winner"]] for verdict in verdicts}
    pairs = [(a, b) for a, b in winners if a < b and (b, a) in winners]
    return sum(winners[a, b] == winners[b, a] for a, b in pairs), len(pairs)


def probability(log_odds: float) -> float:
    """The probability that has these log-odds, which are in nats."""
    return 1 / (1 + math.exp(-log_odds))


def leaning(report: JudgeReport) -> str:
    """The position bias of a judge in a sentence: the chance of the first of two texts that are equally good."""
    bounds = (report.position_low, report.position_bias, report.position_high)
    low, chance, high = (probability(log_odds) for log_odds in bounds if log_odds is not None)
    leans = "towards the first text" if low > 0.5 else "towards the second text" if high < 0.5 else "none found"
    return (
        f"Position bias: {leans}. Of two equally good texts the judge names the first with probability {chance:.0%} "
        f"(95% interval {low:.0%} to {high:.0%})."
    )


def replay(console: Console, path: Path = VERDICTS) -> paragone.Board:
    """Act two: rank the hypotheses from recorded verdicts, and write the page."""
    texts = {row["id"]: row["text"] for row in json_lines(HERE / "hypotheses.jsonl")}
    tiers, verdicts = intended(), json_lines(path)
    board = paragone.fit(path, position=True, seed=SEED)
    order = [row.id for row in board.items]
    title = f"{len(verdicts)} recorded verdicts; the intended tier is beside the rating, 1 for the best"
    figures = "tier", {id: f"{tier}" for id, tier in tiers.items()}
    console.print(table(title, board, texts, figures, console.width))
    share, tau, pairs = agreement(order, tiers)
    same, both = same_in_both_orders(verdicts)
    paragraphs = [
        f"Why {order[0]} is first, in the judge's words:",
        *reasons(verdicts, order),
        "",
        f"Agreement with the intended order: tau {tau:+.2f}, {share:.0%} of the {pairs} pairs that it tells apart.",
        f"{leaning(board.judges[0])} {same} of {both} pairs got the same answer in both orders.",
    ]
    console.print()
    for paragraph in paragraphs:
        console.print(paragraph, highlight=False, markup=False)
    named = [replace(row, text=texts[row.id]) for row in board.items]
    paragone.write(replace(board, items=tuple(named)), TOP / PAGE)
    return board


def main() -> None:
    """Play both acts and say what to type next."""
    console = Console()
    start = time.monotonic()
    (TOP / PAGE).parent.mkdir(exist_ok=True)
    for old in (TOP / PAGE).parent.glob("demo.*"):
        old.unlink()
    console.print("Act one: a small language model on this machine ranks six texts by fluency\n")
    live(console)
    console.print("Act two: 24 research hypotheses, from a large language model's verdicts\n")
    replay(console)
    console.print(
        f"""
{time.monotonic() - start:.0f} s. The ledger of act one is {LEDGER}. What to type next:

  .venv-demo/bin/paragone matches --db {LEDGER}
  .venv-demo/bin/paragone audit --db {LEDGER}
  .venv-demo/bin/paragone fit examples/hypotheses_verdicts.jsonl --position
  .venv-demo/bin/paragone rank --help

And the page to open in a browser, with the board of act two: {PAGE}""",
        highlight=False,
    )


if __name__ == "__main__":
    main()
