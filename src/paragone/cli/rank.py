"""``paragone rank`` and ``paragone resume``: rank items by comparing them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from paragone.cli import completion, options
from paragone.cli.options import option
from paragone.cli.parameters import OnlyWith
from paragone.cli.terminal import interruptible, notice
from paragone.domain import Draws, Goal, PairingPolicy, SideInformation
from paragone.domain.text import visible
from paragone.errors import InvalidConfig
from paragone.wire.value import shallow

if TYPE_CHECKING:
    from paragone.domain import Item
    from paragone.tournaments.tournament import Tournament
    from paragone.wire.live import RunLimits

NOTHING_WRITTEN = "nothing was asked and nothing was written"
UNCHANGED = "nothing was asked, and the tournament is unchanged"


def _pairing(name: str) -> str:
    from paragone.tournaments.pairing_registry import check_pairing

    try:
        check_pairing(name)
    except InvalidConfig as error:
        raise typer.BadParameter(str(error).removeprefix("pairing ")) from error
    return name


@dataclass(frozen=True, kw_only=True, slots=True)
class StopOptions:
    """What is to be settled, and by which matches."""

    pairing: Annotated[
        str,
        option(
            "How opponents are chosen, or a plugin's name.",
            metavar="|".join(PairingPolicy),
            callback=_pairing,
            autocompletion=completion.pairings,
        ),
    ] = PairingPolicy.INFORMATIVE
    top: Annotated[int | None, option("Settle which items are the top K.", min=1, metavar="K")] = None
    winner: Annotated[bool, option("Settle which item is the best.")] = False
    whole_order: Annotated[bool, option("Settle the whole order, without extra effort at the top.")] = False
    confidence: Annotated[float, option("Stop when the ranking is this probable.", metavar="P")] = Goal().confidence
    group_size: Annotated[
        str | None,
        option(
            "Items that the judge orders in one call; auto runs a pilot.  [default: auto for language models without "
            "--budget, else 2]",
            metavar="K|auto",
        ),
    ] = None
    comparison_rounds: Annotated[
        int | None,
        option("Comparisons in each match, in alternating order.  [default: 2 in Swiss, else 1]", "--orders", min=1),
    ] = None
    elimination_count: Annotated[
        int,
        option("Losses that eliminate an item in Swiss.", "--losses", metavar="N", min=1),
        OnlyWith("--pairing swiss"),
    ] = 2
    draws: Annotated[
        Draws,
        option("How a draw counts in Swiss: as a loss for both, replayed, or not at all."),
        OnlyWith("--pairing swiss"),
    ] = Draws.LOSS

    @property
    def values(self) -> "dict[str, Any]":
        """The options as ``Tournament.create`` takes them."""
        size = self.group_size
        return shallow(self) | {
            "group_size": int(size) if size is not None and size.isdecimal() else size,
            "draws": self.draws.value,
        }


@interruptible(NOTHING_WRITTEN)
def rank(
    items: options.ItemFile,
    criteria: Annotated[str, option("What makes one item better than another.", "-c", metavar="TEXT")],
    *,
    judge: options.JudgeSpec = None,
    settling: StopOptions,
    columns: options.Columns,
    background: options.Background,
    limits: options.Limits,
    run: options.RunOptions,
    side: options.SideOptions,
    created: options.Created,
) -> None:
    """Rank ITEMS by comparing them. The board says how certain the ranking is.

    Answers are recorded as they arrive; `paragone resume` continues an interrupted run.
    """
    from paragone.cli.terminal_run import chosen_judge, judge_spec, play
    from paragone.intake.item_values import read_reviews
    from paragone.intake.standard_input import STANDARD_INPUT
    from paragone.settings import tournament_system
    from paragone.tournaments.tournament import Tournament

    pace, spec = run.pace(), judge_spec(judge)
    if items == STANDARD_INPUT and spec.partition(":")[0] == "human":
        raise InvalidConfig("a person answers on standard input, which has the items here: put them into a file")
    items = columns.file(items)
    read = columns.read(items)
    reviews = () if side.reviews is None else read_reviews(side.reviews, item_ids={item.id for item in read})
    information = SideInformation()
    if side.used or side.adjusted:
        from paragone.tournaments.side_information import resolve  # loads what fits columns

        information = resolve(
            read, items, use=side.used, adjust_for=side.adjusted, reviews=reviews, reading=columns.as_options()
        )
    opened = Tournament.create(
        read,
        columns=information,
        reviews=reviews or None,
        judge=chosen_judge(spec, created.url, run),
        criteria=criteria,
        system=tournament_system() if settling.pairing == PairingPolicy.WEIGHTED else None,
        gold=side.gold,
        prior=side.prior,
        **created.values(items),
        **settling.values,
        **limits.values,
        **background.values,
    )
    for note in () if run.quiet else information.notes:
        notice(f"note: {visible(note)}")
    with opened as tournament:
        play(tournament, run, pace, suggest_gold=side.suggest_gold)


def _joined(tournament: "Tournament", named: int, added: "Sequence[Item]") -> Iterator[str]:
    """How many items were added, and how the budget stands to all of them."""
    from paragone.tournaments.planning.stopping import budget_in_words
    from paragone.tournaments.tournament_settings import default_budget

    settings, items = tournament.state.settings, len(tournament.state.items)
    there = f"; {named - len(added):,} were there already" if len(added) < named else ""
    yield f"items added: {len(added):,}{there}; {items:,} in all"
    size, budget = settings.group_size, settings.budget_set
    if not added or budget is None or isinstance(size, str):
        return
    done, usual = tournament.ledger.tournaments.spending(tournament.state.id).decisions, default_budget(items, size)
    is_less = settings.pairing == PairingPolicy.INFORMATIVE and budget < usual
    hint = f"; a new tournament of {items:,} items has --budget {usual}" if is_less else ""
    yield f"note: {budget_in_words(tournament.state)} is for all of them, and {done:,} are made{hint}"


@interruptible(UNCHANGED)
def resume(
    stored: options.Stored,
    run: options.RunOptions,
    judge: options.JudgeSpec = None,
    budget: Annotated[int | None, option("New maximum number of comparisons in all.", "-n", min=1)] = None,
    confidence: Annotated[float | None, option("New confidence to stop at.", metavar="P")] = None,
    max_cost: Annotated[float | None, option("New maximum cost in US dollars.", min=0.0, metavar="USD")] = None,
    max_tokens: Annotated[int | None, option("New maximum number of tokens.", min=1)] = None,
    add: Annotated[
        Path | None, option("Items that join, read as by `rank`; the evidence stays.", metavar="ITEMS")
    ] = None,
) -> None:
    """Continue an interrupted tournament, extend its budget, or add items to it."""
    from paragone.cli.terminal_run import opened, play

    pace = run.pace()
    changes = {"budget": budget, "confidence": confidence, "max_cost": max_cost, "max_tokens": max_tokens}
    extension = cast("RunLimits", {name: value for name, value in changes.items() if value is not None})
    columns = options.Columns()
    newcomers = () if add is None else columns.read(columns.file(add), fewest=1)
    with opened(stored, run, judge=judge) as tournament:
        tournament.open_judge()  # nothing is written if there is none, or it does not know the newcomers
        added = tournament.add(newcomers) if newcomers else ()
        if extension:
            tournament.extend(**extension)
        for note in _joined(tournament, len(newcomers), added) if newcomers and not run.quiet else ():
            notice(note)
        done = tournament.ledger.tournaments.spending(tournament.state.id).decisions
        if budget is not None and budget < done:
            notice(f"note: --budget counts all comparisons, and {done:,} are made; for more of them, give a larger one")
        play(tournament, run, pace)
