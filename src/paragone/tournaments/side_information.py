"""What is known of items beside the answers: from the words of a caller to columns, and from columns to a prior."""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import NormalDist
from typing import TypedDict

import numpy as np

from paragone.analysis.traits import TRAITS
from paragone.domain import ColumnReport, Goal, Item, Review, SideInformation, SideReport
from paragone.domain.rounding import POINT_DECIMALS, SCALE_DECIMALS, SHARE_DECIMALS, rounded
from paragone.domain.side_column import STANDARD, SideColumn
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidConfig
from paragone.intake.items import TEXT_NAMES, as_items
from paragone.intake.side_columns import row_ids, side_columns
from paragone.intake.table import InputTable, as_text, is_frame, spelling
from paragone.intake.table_files import READERS, tabulate
from paragone.pairing.forecast import forecast
from paragone.ratings.elo import ELO_PER_NAT
from paragone.ratings.evidence import Floats
from paragone.ratings.side_information import MOST_ITEMS, PENALTY, ColumnEffect, ColumnGroup
from paragone.tournaments.posterior import Posterior

NONE, ALL_TRAITS, EMBEDDINGS, REVIEWS = "none", "traits", "embeddings", "reviews"
"""What may be named beside columns and single traits."""
DIMENSIONS = 8
"""Principal components of embeddings that count as columns."""
_FIRST_TRAIT = next(iter(TRAITS))
_VAGUE = 2.0
"""Nats against what nobody has bet on by name, embeddings and all traits together: odds of two to three."""
_CONSTANT = 1e-9


class TableOptions(TypedDict, total=False):
    """How a table of items is read: the columns of ids and of texts where their names do not tell, and the encoding."""

    id_column: str | None
    text_column: str | None
    encoding: str | None


Names = str | Collection[str] | None
"""Names of columns: with commas, or one by one."""


def named(names: Names) -> tuple[str, ...]:
    """The names, each once; ``none`` alone is none at all.

    Raises:
        InvalidConfig: If ``none`` stands beside others.
    """
    listed = names.split(",") if isinstance(names, str) else [] if names is None else list(names)
    chosen = tuple(dict.fromkeys(name.strip() for name in listed if name.strip()))
    if NONE in chosen and len(chosen) > 1:
        raise InvalidConfig(f"{NONE!r} stands alone: it leaves out all columns")
    return () if chosen == (NONE,) else chosen


def resolve(
    items: Sequence[Item],
    source: object,
    *,
    use: Names = None,
    adjust_for: Names = None,
    reviews: Sequence[Review] = (),
    reading: TableOptions | None = None,
) -> SideInformation:
    """The columns that a caller names, and how they were read.

    Args:
        items: The items that are ranked.
        source: Where their columns stand: a file, a data frame or a list of mappings; anything else has none.
        use: What may count.
        adjust_for: What must not count.
        reviews: Reviews of the items, for ``reviews``.
        reading: How the table is read.

    Raises:
        UsageError: Naming what is wrong with a name or a column.
    """
    names = [(name, True) for name in named(use)] + [(name, False) for name in named(adjust_for)]
    if not names:
        return SideInformation()
    both = set(named(use)) & set(named(adjust_for))
    if both:
        raise InvalidConfig(f"{min(both)!r} cannot count and be taken out at once: name it in one of the two")
    if len(items) > MOST_ITEMS:
        raise InvalidConfig(
            f"columns can be used with up to {MOST_ITEMS:,} items, not {len(items):,}; leave use and adjust_for out"
        )
    table = _table(source, reading or {})
    columns: list[SideColumn] = []
    notes: list[str] = []
    for name, counts in names:
        more_columns, more = _columns(items, table, name, counts, reviews, reading or {})
        columns += more_columns
        notes += more
    return SideInformation(columns=tuple(columns), notes=tuple(dict.fromkeys(notes)))


def _table(source: object, reading: TableOptions) -> InputTable | None:
    """The table of items, where there is one."""
    if isinstance(source, str | Path):
        is_table = Path(source).suffix.lower() in READERS
        return tabulate(source, name="items", encoding=reading.get("encoding")) if is_table else None
    if is_frame(source):
        return tabulate(source, name="items")
    listed = isinstance(source, list | tuple) and bool(source) and all(isinstance(each, Mapping) for each in source)
    return tabulate(source, name="items") if listed else None


def _columns(
    items: Sequence[Item],
    table: InputTable | None,
    name: str,
    counts: bool,
    reviews: Sequence[Review],
    reading: TableOptions,
) -> tuple[Sequence[SideColumn], Sequence[str]]:
    option = "use, --use" if counts else "adjust_for, --adjust-for"
    in_table = table is not None and any(spelling(column) == spelling(name) for column in table.columns)
    has_texts = any(item.text for item in items)
    word = name.casefold()
    if not in_table and word == REVIEWS:
        return [_reviewed(reviews, counts)], ()
    if not in_table and has_texts:
        if word == ALL_TRAITS:
            rest = [trait for trait in TRAITS if trait != _FIRST_TRAIT]
            return [_trait(_FIRST_TRAIT, _FIRST_TRAIT, counts), *(_trait(ALL_TRAITS, t, counts) for t in rest)], ()
        if word in TRAITS:
            return [_trait(word, word, counts)], ()
        if word == EMBEDDINGS:
            return _embeddings(items, counts), ()
    if table is None:
        sources = (*TRAITS, ALL_TRAITS, EMBEDDINGS, REVIEWS) if has_texts else ()
        remedy = (
            f"; their texts have {', '.join(sources[:-1])}{did_you_mean(name, sources)}"
            if sources
            else " and no texts; name their table (items, --items)"
        )
        raise InvalidConfig(f"there is no column {name!r} ({option}): the items have no columns{remedy}")
    ids = row_ids(table, id_column=reading.get("id_column"), text_column=reading.get("text_column"))
    return side_columns(table, name, ids, items={item.id for item in items}, counts=counts, option=option)


def described(ids: Sequence[str], source: object, reading: TableOptions | None = None) -> tuple[Item, ...]:
    """Items of these ids with the texts that a file of items has for them; empty ones where it has none."""
    reading = reading or {}
    table = _table(source, reading)
    if table is None:
        texts = {} if source is None else {item.id: item.text for item in as_items(source)}
    else:
        name = reading.get("text_column")
        at = table.named(name, "--text-column") if name else table.found(TEXT_NAMES, option="--text-column")
        rows = row_ids(table, id_column=reading.get("id_column"), text_column=name)
        cells = [None] * len(rows) if at is None else table.cells(at)
        texts = {id: as_text(cell) or "" for id, cell in zip(rows, cells, strict=True)}
    return tuple(Item(id=id, text=texts.get(id, "")) for id in ids)


def has_column(source: object, name: str, reading: TableOptions | None = None) -> bool:
    """Whether items have a column or a trait of this name."""
    if source is None:
        return False
    table = _table(source, reading or {})
    if table is not None and any(spelling(column) == spelling(name) for column in table.columns):
        return True
    has_texts = table is None or table.found(TEXT_NAMES, option="--text-column") is not None
    return has_texts and name.casefold() in (*TRAITS, ALL_TRAITS, EMBEDDINGS)


def _trait(group: str, trait: str, counts: bool) -> SideColumn:
    return SideColumn(group=group, name=trait, trait=trait, counts=counts)


def _reviewed(reviews: Sequence[Review], counts: bool) -> SideColumn:
    if not reviews:
        raise InvalidConfig(
            "reviews are to count (use, --use), and there are none; give them (reviews, --reviews), or leave them out"
        )
    from paragone.analysis.reviews import opinions

    scores = {item: opinion.score for item, opinion in opinions(reviews).items()}
    return SideColumn(group=REVIEWS, name="review score", values=tuple(sorted(scores.items())), counts=counts)


def _embeddings(items: Sequence[Item], counts: bool) -> list[SideColumn]:
    """The first principal components of the texts' vectors."""
    from paragone.similarity import embed, open_embedder

    vectors = np.asarray(embed(items, open_embedder()), dtype=np.float64)
    vectors -= vectors.mean(axis=0)
    values, axes = np.linalg.eigh(vectors @ vectors.T)
    largest = np.argsort(-values)[: min(DIMENSIONS, len(items) - 1)]
    columns = []
    for number, at in enumerate(largest.tolist(), 1):
        axis = axes[:, at] * np.sign(axes[np.argmax(np.abs(axes[:, at])), at])
        numbers = tuple((item.id, round(float(value), 9)) for item, value in zip(items, axis, strict=True))
        columns.append(SideColumn(group=EMBEDDINGS, name=f"embedding {number}", values=numbers, counts=counts))
    return columns


def groups_of(columns: Sequence[SideColumn], items: Sequence[Item]) -> tuple[ColumnGroup, ...]:
    """The columns of these items as the fit takes them: of mean 0 and standard deviation 1, gaps in the middle.

    A column that is the same for all items is left out.
    """
    groups = []
    order = dict.fromkeys((column.group, column.counts) for column in columns)
    by_group = sorted(columns, key=lambda column: list(order).index((column.group, column.counts)))
    for (name, counts), members in groupby(by_group, key=lambda column: (column.group, column.counts)):
        scaled = [(column.name, _standard(_values(column, items))) for column in members]
        varying = [(title, values) for title, values in scaled if values is not None]
        if varying:
            titles, values = zip(*varying, strict=True)
            penalty = _VAGUE if name in (EMBEDDINGS, ALL_TRAITS) else PENALTY
            stacked = np.stack(values, axis=1)
            groups.append(ColumnGroup(name=name, columns=titles, values=stacked, counts=counts, penalty=penalty))
    return tuple(groups)


def _values(column: SideColumn, items: Sequence[Item]) -> Floats:
    if column.trait:
        return np.array([TRAITS[column.trait](item.text) for item in items])
    value_of = dict(column.values)
    return np.array([value_of.get(item.id, np.nan) for item in items])


def _standard(values: Floats) -> Floats | None:
    is_number = ~np.isnan(values)
    if not is_number.any():
        return None
    filled = np.where(is_number, values, values[is_number].mean())
    away = filled - filled.mean()
    scale = float(np.sqrt((away**2).mean()))
    if scale <= _CONSTANT * max(1.0, float(np.abs(filled).max())):
        return None
    return rounded(away / scale, SHARE_DECIMALS)


def side_report(
    posterior: Posterior, order: Sequence[str], notes: Sequence[str] = (), units: Mapping[str, str] | None = None
) -> SideReport | None:
    """What columns have done to a board; None where they have no part in it.

    Args:
        posterior: The posterior.
        order: Ids of the items, in the order of the board.
        notes: How the columns were read.
        units: What the effect of a column is for, by its name, where that is no standard deviation.
    """
    alone = posterior.alone
    if alone is None:
        return None
    reach = NormalDist().inv_cdf((1 + posterior.level) / 2)
    return SideReport(
        columns=tuple(_reported(effect, reach, (units or {}).get(effect.column)) for effect in posterior.effects),
        without=tuple(alone.strengths[id] for id in order),
        tau=round(forecast(posterior.fit.strength, alone.fit.strength[np.newaxis], Goal()).tau, SCALE_DECIMALS),
        notes=tuple(notes),
    )


def _reported(effect: ColumnEffect, reach: float, unit: str | None) -> ColumnReport:
    points, error = ELO_PER_NAT * effect.effect, reach * ELO_PER_NAT * effect.standard_error
    ends = rounded([points, points - error, points + error], POINT_DECIMALS).tolist()
    return ColumnReport(
        group=effect.group,
        column=effect.column,
        **dict(zip(("points", "low", "high"), ends, strict=True)),
        probability=effect.probability,
        counts=effect.counts,
        trait=effect.column.removeprefix("log ") in TRAITS,
        unit=unit or STANDARD,
        contradicted=effect.contradicted,
    )
