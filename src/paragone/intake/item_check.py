"""What makes items fit to be ranked."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from paragone.domain import Item
from paragone.errors import InvalidItems
from paragone.intake.cell import is_written_missing

MAX_TEXT = 1_000_000
"""Longest text of an item, in characters."""

MAX_ID = 200
"""Longest id of an item, in characters."""

_SHOWN = 5
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def checked(items: Sequence[Item], places: Sequence[str], *, source: str) -> tuple[Item, ...]:
    """The items, if they can be ranked.

    Args:
        items: Candidates.
        places: Where each stood, for messages; as long as ``items``.
        source: Where they all came from, for messages.

    Raises:
        InvalidItems: If there are fewer than two, two share an id, or one has no text, no id, too much of either, or
            characters that are not text.
    """
    for item, place in zip(items, places, strict=True):
        check_item(item, place)
    _check_duplicates(items, places, source)
    if len(items) < 2:
        found = "one item" if items else "no items"
        raise InvalidItems(f"{source}: {found}; a ranking needs at least two")
    return tuple(items)


def check_item(item: Item, place: str) -> None:
    """Refuse an item that is unfit by itself.

    Args:
        item: A candidate.
        place: Where it stood, for messages.

    Raises:
        InvalidItems: If it has no text, no id, too much of either, or characters that are not text.
    """
    _check_id(item.id, place)
    _check_text(item, place)


def identical_texts(items: Iterable[Item]) -> tuple[tuple[str, ...], ...]:
    """Groups of ids that share one text, in the order of first appearance; such items can only tie."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        groups[item.text].append(item.id)
    return tuple(tuple(ids) for ids in groups.values() if len(ids) > 1)


def _check_id(id: str, place: str) -> None:
    if not id or is_written_missing(id):
        raise InvalidItems(f"{place}: the id is missing")
    if len(id) > MAX_ID:
        raise InvalidItems(f"{place}: the id {id[:40]!r}... has {len(id):,} characters; the limit is {MAX_ID}")
    if _CONTROL.search(id) or _SURROGATE.search(id):
        raise InvalidItems(f"{place}: the id {id!r} holds a control character; remove it")


def _check_text(item: Item, place: str) -> None:
    text = item.text
    if not text.strip():
        raise InvalidItems(f"{place}: item {item.id!r} has no text")
    if is_written_missing(text):
        raise InvalidItems(f"{place}: the text of item {item.id!r} is {text!r}, which stands for a missing value")
    if len(text) > MAX_TEXT:
        raise InvalidItems(f"{place}: item {item.id!r} has {len(text):,} characters; the limit is {MAX_TEXT:,}")
    if "\0" in text:
        raise InvalidItems(f"{place}: the text of item {item.id!r} holds a NUL character; is it text at all?")
    if _SURROGATE.search(text):
        raise InvalidItems(f"{place}: the text of item {item.id!r} holds half a character (a lone surrogate)")


def _check_duplicates(items: Sequence[Item], places: Sequence[str], source: str) -> None:
    stood: defaultdict[str, list[str]] = defaultdict(list)
    for item, place in zip(items, places, strict=True):
        stood[item.id].append(place.removeprefix(f"{source}, "))
    twice = {id: where for id, where in stood.items() if len(where) > 1}
    if twice:
        named = "; ".join(f"{id!r} ({', '.join(where[:_SHOWN])})" for id, where in list(twice.items())[:_SHOWN])
        more = f" and {len(twice) - _SHOWN} more" if len(twice) > _SHOWN else ""
        raise InvalidItems(f"{source}: the same id more than once: {named}{more}; give each item an id of its own")
