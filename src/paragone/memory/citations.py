"""Decision records that others cite: each citation counts once, when the record that has it is indexed.

Source: document M, "ADRs cited in new ADRs get bonus ELO (citation graph)".
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from paragone.domain.content import Action, ContentKind
from paragone.memory.components import Parts
from paragone.memory.store.lines import AccessLine

if TYPE_CHECKING:
    from paragone.memory.index import Decision


def log_citations(parts: Parts, paths: Iterable[str]) -> int:
    """Log what the records among some files cite; returns how many citations are new."""
    decisions = parts.index.decisions()
    known = {one.id: one for one in decisions}
    wanted = set(paths)
    lines = [line for one in decisions if one.path in wanted for line in _lines(one, known)]
    return len(parts.store.logs.append(lines)) if lines else 0


def _lines(citing: "Decision", known: "dict[str, Decision]") -> Iterator[AccessLine]:
    for id in citing.cites:
        cited = known.get(id)
        if cited is not None and id != citing.id:
            yield AccessLine(
                id=f"citation:{citing.id}:{id}",  # the same whenever it is met: it counts once
                session_id="",
                action=Action.CITED,
                entity_type=ContentKind.ADR,
                entity_id=id,
                file_path=cited.path,
                also=((ContentKind.FILE, cited.path),),
                tool="index",
            )
