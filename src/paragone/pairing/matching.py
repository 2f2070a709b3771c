"""The largest matching: as many pairs at once as can be had when not everybody may meet everybody.

Vertices are integers of 0 and more; the graph is a question, ``joined(u, v)``, because nearly all pairs may meet and
a list of them would be long. A matching is a mapping that holds each pair both ways.

Source: J. Edmonds, "Paths, trees, and flowers", Canadian Journal of Mathematics 17, 1965.
"""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence

Joined = Callable[[int, int], bool]
Matching = dict[int, int]

_NOBODY = -1


def paired_in_order(order: Sequence[int], joined: Joined) -> Matching:
    """Pair each vertex in turn with the next free one that it may meet: a good start, not always the largest."""
    mate: Matching = {}
    for position, u in enumerate(order):
        if u in mate:
            continue
        later = (order[i] for i in range(position + 1, len(order)))
        v = next((v for v in later if v not in mate and joined(u, v)), None)
        if v is not None:
            mate[u], mate[v] = v, u
    return mate


def largest_matching(order: Sequence[int], joined: Joined, start: Mapping[int, int]) -> Matching:
    """Enlarge a matching until no larger one exists; whoever is matched at the start stays matched.

    Args:
        order: The vertices; earlier ones are tried first.
        joined: Whether two vertices may be paired; symmetric.
        start: The matching to begin with; its pairs need not all be ``joined``.
    """
    mate = dict(start)
    single = [v for v in order if v not in mate]
    while len(single) > 1:
        root = single.pop()
        search = _Search(order, joined, mate)
        if search.reach(root, single):
            single = [v for v in single if v not in mate]
        else:
            # No later search can pass through the tree of one that failed.
            order = [v for v in order if v not in search.is_outer]
    return mate


def with_another_single(
    order: Sequence[int], joined: Joined, mate: Mapping[int, int], single: int, candidates: Collection[int]
) -> Matching:
    """Pair ``single`` and leave one of the candidates alone instead; the same matching where that cannot be.

    Args:
        order: The vertices; earlier ones are tried first.
        joined: Whether two vertices may be paired; symmetric.
        mate: A matching to which no pair can be added.
        single: The vertex that it leaves alone.
        candidates: Which vertices may be left alone in its place.
    """
    matching = dict(mate)
    search = _Search(order, lambda u, v: u in candidates if v == _NOBODY else joined(u, v), matching)
    if search.reach(single, [_NOBODY]):
        del matching[matching.pop(_NOBODY)]
    return matching


class _Search:
    """One search for an alternating path from a single vertex; changes ``mate`` along the path when it finds one.

    Vertices at an even distance from the root are outer: the path can go on from them along any edge. Where two outer
    vertices are joined they close an odd cycle, a blossom, whose members all become outer and share one base.

    Attributes:
        is_outer: True for outer vertices, False for inner ones; vertices not reached are absent.
        via: The vertex from which the path came, for those that did not come along their own pair.
        base: Links to the base of the blossom that a vertex lies in.
    """

    def __init__(self, order: Sequence[int], joined: Joined, mate: Matching) -> None:
        self.order = order
        self.joined = joined
        self.mate = mate
        self.is_outer: dict[int, bool] = {}
        self.via: dict[int, int] = {}
        self.base: dict[int, int] = {}
        self.queue: deque[int] = deque()

    def reach(self, root: int, goals: Sequence[int]) -> bool:
        """Find a path from the root to one of the goals, which are single too, and flip the pairs along it."""
        self._enqueue(root)
        while self.queue:
            u = self.queue.popleft()
            for goal in goals:
                if self.joined(u, goal):
                    self._flip(u, goal)
                    return True
            for v in self.order:
                self._look(u, v)
        return False

    def _enqueue(self, v: int) -> None:
        self.is_outer[v] = True
        self.queue.append(v)

    def _look(self, u: int, v: int) -> None:
        """Follow the edge from an outer vertex to any other, if there is one."""
        outer = self.is_outer.get(v)
        if outer is False or not self.joined(u, v):
            return
        if outer is None:
            if v in self.mate:
                self.is_outer[v] = False
                self.via[v] = u
                self._enqueue(self.mate[v])
        elif self._base(u) != self._base(v):
            base = self._common_base(u, v)
            self._shrink(u, v, base)
            self._shrink(v, u, base)

    def _base(self, v: int) -> int:
        while (link := self.base.get(v, v)) != v:
            self.base[v] = self.base.get(link, link)
            v = link
        return v

    def _common_base(self, u: int, v: int) -> int:
        """The base where the ways back to the root from two outer vertices meet."""
        visited: set[int] = set()
        base: int | None = self._base(u)
        other_base: int | None = self._base(v)
        while base is None or base not in visited:
            if base is not None:
                visited.add(base)
                partner = self.mate.get(base)
                base = None if partner is None else self._base(self.via[partner])
            base, other_base = other_base, base
        return base

    def _shrink(self, u: int, v: int, base: int) -> None:
        """Give the vertices from ``u`` back to the base a second way to the root, over ``v``."""
        while self._base(u) != base:
            self.via[u] = v
            v = self.mate[u]
            if self.is_outer[v] is False:
                self._enqueue(v)
            # Members of the odd cycle now count as one outer vertex: they share its base.
            for member in (u, v):
                if self._base(member) == member:
                    self.base[member] = base
            u = self.via[v]

    def _flip(self, u: int, goal: int) -> None:
        self.via[goal] = u
        v: int | None = goal
        while v is not None:
            before = self.via[v]
            after = self.mate.get(before)
            # Along the path unmatched edges become pairs and pairs are dissolved: one pair more than before.
            self.mate[v], self.mate[before] = before, v
            v = after
