"""The notes of rounds in the memory of a long tournament, packed: most of what is in them is read once."""

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from paragone.ledger import Event


class PackedDetail(Mapping[str, Any]):
    """The detail of an event, which is read anew where it was not the last that was read."""

    __slots__ = ("_packed",)
    _latest: "tuple[PackedDetail | None, Mapping[str, Any]]" = (None, {})

    def __init__(self, detail: Mapping[str, Any]) -> None:
        self._packed = zlib.compress(json.dumps(detail, separators=(",", ":")).encode("ascii"))

    def _read(self) -> Mapping[str, Any]:
        of, detail = PackedDetail._latest
        if of is not self:
            detail = json.loads(zlib.decompress(self._packed))
            PackedDetail._latest = (self, detail)  # in one step, as several threads read
        return detail

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a JSON value
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())


def packed(event: Event) -> Event:
    """The event, with the notes of a round packed."""
    return replace(event, detail=PackedDetail(event.detail)) if event.kind == "round" else event
