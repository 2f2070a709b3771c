"""What became of content: cited, used, contradicted; and of the session."""

from paragone.domain.content import Action, Content
from paragone.memory import acts
from paragone.memory.door.opened import OpenMemory
from paragone.memory.store.lines import Outcome, SessionLine


class Marking(OpenMemory):
    """The part of a memory's methods by which an agent says how content served.

    Content is named by a path, ``@path::Name`` or ``@Name``, a decision record's id, or a chunk's hash. Each raises
    ``NotFound``, and logs nothing, where something is not known.
    """

    def cite(self, *contents: str | Content) -> list[Content]:
        """An answer cites it. It weighs 1.5 reads."""
        return acts.mark(self._parts, self._session, Action.CITED, contents)

    def used(self, *contents: str | Content) -> list[Content]:
        """It was used in work that succeeded. It weighs 2 reads."""
        return acts.mark(self._parts, self._session, Action.USED, contents)

    def contradicted(self, *contents: str | Content) -> list[Content]:
        """It turned out to be wrong: its rating falls. What is wrong of a session is no part of its success."""
        return acts.mark(self._parts, self._session, Action.CONTRADICTED, contents)

    def end_session(self, outcome: Outcome = "unknown") -> SessionLine | None:
        """Write the session's audit; after a success all that it read counts as used. None where it did nothing.

        What is done afterwards belongs to a new session, with another id.
        """
        return self._session.end(outcome)
