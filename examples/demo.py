"""The demo, in two acts. No key, no network.

Act one ranks eight texts live with a language model that runs here, and compares the board with the known order:
the texts were garbled, from none of their words to all of them. Act two ranks 24 research hypotheses from recorded
verdicts of a large language model, and compares the board with the order that their author had in mind.
"""

import csv
import itertools
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

import fluency
import paragone

HERE = Path(__file__).parent
TOP = HERE.parent
PAGE = Path("out/demo.html")
LEDGER = Path("out/demo.db")
VERDICTS = HERE / "hypotheses_verdicts.jsonl"
SEED = 7
BUDGETS = range(8, 49, 5)
TEXTS = """\
The library opens at nine on weekdays. Bring your card, and the desk will lend you ten books for four weeks.
To bake a simple loaf, mix flour, water, salt and yeast, let the dough rise, and bake it until it sounds hollow.
The train to the coast leaves from platform three. The left side has the better view, and the ride is short.
Water the tomatoes early in the day, close to the roots, and tie each plant to a stick before the fruit is heavy.
Our school choir practises on Tuesday after lunch. New singers are welcome, and nobody needs to read music.
The bridge will be closed on Sunday for repairs. Drivers should follow the yellow signs through the old town.
Clean the lens with a soft cloth, keep the camera away from rain, and charge the battery before you leave.
The museum has a room with maps of the city. The oldest was drawn long ago and shows two streets and a well.
""".splitlines()


def garbled_texts() -> dict[str, str]:
    """Eight texts by id; ``g0`` has none of its words garbled and ``g7`` all."""
    return {f"g{level}": fluency.garble(text, level / 7, level) for level, text in enumerate(TEXTS)}


def intended() -> dict[str, int]:
    """The tier of every hypothesis, 1 being the best."""
    with (HERE / "hypotheses_order.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: int(row["tier"]) for row in csv.DictReader(file)}


def agreement(order: Sequence[str], tiers: Mapping[str, int]) -> tuple[float, float, int]:
    """How an order agrees with tiers, over the pairs that the tiers tell apart.

    Returns:
        The share of pairs in the intended order; Kendall's tau, which is that share on a scale from -1 to 1 (0 for
        a random order); and the number of pairs.
    """
    pairs = [(above, below) for above, below in itertools.combinations(order, 2) if tiers[above] != tiers[below]]
    share = sum(tiers[above] < tiers[below] for above, below in pairs) / len(pairs)
    return share, 2 * share - 1, len(pairs)


def table(board: paragone.Board, texts: Mapping[str, str]) -> Table:
    """A board for the terminal, with the share of garbled words beside each text."""
    view = Table(title=f"{board.spending.decisions} comparisons", box=None, title_justify="left")
    for heading in ("rank", "between", "rating", "garbled"):
        view.add_column(heading, justify="right")
    view.add_column("text", no_wrap=True, max_width=44)
    for row in board.items:
        garbled = f"{int(row.id[1:]) / 7:.0%}"
        view.add_row(f"{row.rank}", f"{row.rank_low}-{row.rank_high}", f"{row.rating:.0f}", garbled, texts[row.id])
    return view


def live(console: Console, budgets: Sequence[int] = BUDGETS) -> paragone.Board:
    """Act one: rank the garbled texts, drawing the board after every few comparisons."""
    texts = garbled_texts()
    tournament = paragone.Tournament.create(
        texts, criteria="fluent English", judge=fluency.more_fluent, db=TOP / LEDGER, seed=SEED, budget=budgets[0]
    )
    with tournament, Live(console=console, auto_refresh=False) as screen:
        for budget in budgets:
            tournament.extend(budget=budget)
            board = tournament.run()
            if console.is_terminal:
                screen.update(table(board, texts), refresh=True)
            else:
                console.print(f"{budget} comparisons: {' '.join(row.id for row in board.items)}", highlight=False)
        if not console.is_terminal:
            screen.update(table(board, texts))
    levels = {id: int(id[1:]) for id in texts}
    _, tau, _ = agreement([row.id for row in board.items], levels)
    console.print(
        f"\nThe texts were garbled, from 0 to 100% of their words, so their order is known. Agreement with it:\n"
        f"Kendall tau {tau:+.2f}, where 1 is the same order and 0 is chance. The judge is SmolLM2, a model of\n"
        f"135 million parameters, on this machine.\n",
        soft_wrap=True,
    )
    return board


def replay(console: Console, verdicts: Path) -> paragone.Board:
    """Act two: rank the hypotheses from recorded verdicts, and write the page."""
    board = paragone.fit(verdicts, position=True, seed=SEED)
    view = Table(title=f"{board.spending.decisions} recorded verdicts on 24 hypotheses", box=None, title_justify="left")
    for heading in ("rank", "between", "rating", "hypothesis", "intended tier"):
        view.add_column(heading, justify="right")
    tiers = intended()
    for row in board.items:
        view.add_row(f"{row.rank}", f"{row.rank_low}-{row.rank_high}", f"{row.rating:.0f}", row.id, f"{tiers[row.id]}")
    console.print(view)
    share, tau, pairs = agreement([row.id for row in board.items], tiers)
    console.print(
        f"\nAgreement with the order that the author intended: {share:.0%} of the {pairs} pairs which it tells apart, "
        f"Kendall tau {tau:+.2f}."
    )
    if board.position_bias is not None:
        side = "first" if board.position_bias > 0 else "second"
        console.print(f"Position bias of the judge: {board.position_bias:+.2f} nats towards the {side} text.")
    paragone.write(board, TOP / PAGE)
    return board


def main() -> None:
    """Play both acts and say what to type next."""
    console = Console()
    start = time.monotonic()
    (TOP / PAGE).parent.mkdir(exist_ok=True)
    for old in (TOP / PAGE).parent.glob("demo.*"):
        old.unlink()
    console.print("Act one: a small language model on this machine ranks eight texts by fluency\n")
    board = live(console)
    paragone.write(board, TOP / PAGE)
    if VERDICTS.exists():
        console.print("Act two: 24 research hypotheses, judged by a large language model\n")
        replay(console, VERDICTS)
    console.print(
        f"""
{time.monotonic() - start:.0f} s. Open {PAGE} in a browser; the ledger of act one is {LEDGER}. Next:

  .venv-demo/bin/paragone matches --db {LEDGER}
  .venv-demo/bin/paragone audit --db {LEDGER}
  .venv-demo/bin/paragone fit examples/votes.csv --position
  .venv-demo/bin/paragone rank --help""",
        soft_wrap=True,
    )


if __name__ == "__main__":
    main()
