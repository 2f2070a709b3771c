"""Packs, pruning, learning, measuring."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from paragone.memory import keeping
from paragone.memory.door.opened import OpenMemory

if TYPE_CHECKING:
    from paragone.memory.learning import Evaluation, Learned
    from paragone.memory.packing import Pack
    from paragone.memory.packing.pack import PackLayout
    from paragone.memory.report import Dashboard
    from paragone.memory.report.metrics import Metrics
    from paragone.memory.upkeep.archive import ArchiveLine
    from paragone.memory.upkeep.doctor import Diagnosis
    from paragone.memory.upkeep.prune import PrunePlan
    from paragone.wire.pack import PackMode


class Keeping(OpenMemory):
    """The part of a memory's methods that packs, prunes, learns and measures."""

    def pack(
        self,
        *,
        tokens: int | None = None,
        mode: "PackMode | None" = None,
        form: "PackLayout" = "markdown",
        query: str | None = None,
        as_of: float | None = None,
    ) -> "Pack":
        """Pack what matters most into a context window.

        Args:
            tokens: The budget; the configuration's where None.
            mode: ``budget`` or ``tiers``; as configured where None.
            form: ``markdown`` or ``xml``.
            query: What it is for: what a search for it finds is worth more.
            as_of: The time whose ratings count, in seconds since 1970; now where None.

        Raises:
            InvalidConfig: If the budget has no room for what is pinned, or an argument is none of its values.
        """
        return keeping.pack(self._parts, tokens=tokens, mode=mode, form=form, query=query, as_of=as_of)

    def prune_plan(self, *, scope: Sequence[str] | None = None, as_of: float | None = None) -> "PrunePlan":
        """What pruning would do, with a reason for each file; it touches nothing.

        Args:
            scope: Patterns of what is short-term memory; the configuration's where None.
            as_of: The time whose ratings count, in seconds since 1970; now where None.
        """
        return keeping.prune_plan(self._parts, scope=scope, as_of=as_of)

    def prune(self, plan: "PrunePlan") -> "PrunePlan":
        """Archive what a plan says; returns what was done.

        Raises:
            Unwritable: If a file cannot be archived.
            Busy: If somebody else archives or restores.
        """
        return self._parts.pruner.prune(plan)

    def archived(self) -> "list[ArchiveLine]":
        """What the archive holds."""
        return self._parts.pruner.archived()

    def restore(self, path: str, *, force: bool = False) -> "ArchiveLine":
        """Bring a file back from the archive.

        Args:
            path: Where it was, below the root.
            force: Another file that lies there now goes into the archive first.

        Raises:
            NotFound: If the archive holds none of that path.
            UsageError: If another file lies there.
        """
        return self._parts.pruner.restore(path, force=force)

    def learn_git(
        self,
        *,
        since: float | None = None,
        limit: int | None = None,
        progress: "Callable[[Learned], None] | None" = None,
    ) -> "Learned":
        """Take the repository's history as a log of uses; learning twice changes nothing.

        Args:
            since: Only commits from this time on, in seconds since 1970.
            limit: At most so many commits, the oldest first.
            progress: Told now and then.

        Raises:
            NotFound: Without git, a repository or a commit.
        """
        return keeping.learn_git(self._parts, since=since, limit=limit, progress=progress)

    def evaluate(self) -> "Evaluation":
        """Measure which model of need foretells best what sessions use."""
        return keeping.evaluate(self._parts)

    def metrics(self, *, as_of: float | None = None) -> "Metrics":
        """The success metrics of document M, from the logs."""
        return keeping.metrics(self._parts, as_of=as_of)

    def doctor(self) -> "Diagnosis":
        """What is wrong with the store, and what to do about it."""
        return keeping.doctor(self._parts)

    def dashboard(self) -> "Dashboard":
        """What the dashboard says: R against Elo, echo chambers, metrics, what was pruned.

        ``paragone.presenting.memory_dashboard.write`` makes a page or a JSON file of it.
        """
        return keeping.dashboard(self._parts)
