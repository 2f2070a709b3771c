"""R: how true content is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from paragone.domain.content import Content
from paragone.memory import boards
from paragone.memory.door.opened import OpenMemory
from paragone.memory.store import TruthLine

if TYPE_CHECKING:
    from paragone.memory.truth import Evidence
    from paragone.memory.truth.truth import ClaimsRead, Supported


class Knowing(OpenMemory):
    """The part of a memory's methods that is about R."""

    def supply_truth(self, content: str | Content, r: float | None, *, note: str = "") -> TruthLine:
        """Write down R that somebody knows; None takes back what was supplied before.

        Raises:
            NotFound: If neither the index nor the logs know the content.
            InvalidEvidence: If R is no finite number.
        """
        one = boards.found(self._parts, content)
        return self._parts.truth.supply(one, r, session=self._session.id, note=note)

    def find_truth(self, content: str | Content, evidence: "Sequence[Evidence]") -> "Supported":
        """R by how well independent evidence agrees, with itself and with the content; unknown below three pieces.

        Raises:
            NotFound: If neither the index nor the logs know the content.
        """
        one = boards.found(self._parts, content)
        return self._parts.truth.from_evidence(one, evidence, session=self._session.id)

    def find_truth_by_claims(self) -> "ClaimsRead":
        """R of files from the verified and disproven claims of their authors, as ``[truth]`` of the configuration says.

        Raises:
            InvalidConfig: If the configuration names no ledger or no authors.
        """
        return self._parts.truth.from_claims()
