"""What one event does to ratings of content: worked numbers, and what holds whatever happens."""

import math
from collections import Counter
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import (
    Action,
    Content,
    ContentKind,
    ContentState,
    OpenSearch,
    Showing,
    Shown,
    TruthSource,
    UsageConfig,
    UsageMove,
    Use,
)
from paragone.ratings.elo import expected_score
from paragone.ratings.usage import RETURNED, UNUSED, Step, boost, reason_of, show, shown, touched, use

FILE, VECTOR, SYMBOL, ADR = ContentKind.FILE, ContentKind.VECTOR, ContentKind.SYMBOL, ContentKind.ADR
DEFAULTS = UsageConfig()
LITERAL = UsageConfig(zero_sum=False)
HIGH, LOW = ((TruthSource.SUPPLIED, 9.0),), ((TruthSource.SUPPLIED, 0.5),)


def file(path: str) -> Content:
    return Content(kind=FILE, id=path, path=path)


def chunk(name: str, path: str = "") -> Content:
    return Content(kind=VECTOR, id=name, path=path)


@dataclass
class Table:
    """What is known of content, in dicts. It notes what was asked for."""

    states: dict[Content, ContentState] = field(default_factory=dict)
    searches: dict[str, OpenSearch] = field(default_factory=dict)
    means: dict[ContentKind, float] = field(default_factory=dict)
    asked: set[Content] = field(default_factory=set)

    def state(self, content: Content) -> ContentState:
        self.asked.add(content)
        return self.states.get(content) or ContentState(content=content, elo=1200.0, initial=1200.0)

    def mean(self, kind: ContentKind) -> float:
        return self.means.get(kind, 1200.0)

    def search(self, id: str) -> OpenSearch | None:
        return self.searches.get(id)

    def put(self, content: Content, **values: object) -> None:
        self.states[content] = replace(self.state(content), **values)

    def take(self, step: Step) -> Step:
        self.states.update(step.states)
        if step.search is not None:
            self.searches[step.search.id] = step.search
        return step

    def shows(self, rows: int | list[Shown] = 3, *, id: str = "s", config: UsageConfig = DEFAULTS) -> Step:
        made = (
            [Shown(rank=n, path=f"{n}.py", hash=f"h{n}") for n in range(1, rows + 1)] if isinstance(rows, int) else rows
        )
        event = Showing(id=id, time=0.0, tool="semantic_search", results=tuple(made))
        return self.take(show(event, self, config))

    def uses(
        self,
        *contents: Content,
        action: Action = Action.READ,
        search: str = "s",
        time: float = 60.0,
        config: UsageConfig = DEFAULTS,
    ) -> dict[Content, UsageMove]:
        event = Use(id="u", time=time, action=action, contents=contents, search=search)
        step = self.take(use(event, self, config))
        moves = {move.content: move for move in step.moves}
        assert len(moves) == len(step.moves), "one update an item, event and kind"
        return moves


class TestTheLiteralBoosts:
    def test_rank_one_with_a_high_r_goes_from_1200_to_1216(self) -> None:
        table = Table()
        table.put(chunk("h1"), truth=HIGH)
        move = next(move for move in table.shows(config=LITERAL).moves if move.content.id == "h1")
        assert (move.old, move.new, move.reason, move.gate) == (1200.0, 1216.0, "semantic_search_rank_1", 1.0)

    def test_gated_it_is_plus_four_and_established_half(self) -> None:
        table = Table()
        table.put(chunk("h1"), truth=LOW)
        table.put(chunk("h2"), updates=10)
        deltas = {move.content.id: move.delta for move in table.shows(config=LITERAL).moves}
        assert deltas["h1"] == 4.0
        assert deltas["h2"] == 4.0, "rank 2 is worth 8, and half of it once established"

    def test_ranks(self) -> None:
        assert [boost(rank, LITERAL) for rank in (1, 2, 5, 6, 10, 11, 100)] == [16.0, 8.0, 8.0, 4.0, 4.0, 0.0, 0.0]

    def test_ten_chunks_of_a_file_are_one_file_at_its_best_rank(self) -> None:
        rows = [Shown(rank=n, path="one.py", hash=f"h{n}") for n in range(3, 13)]
        moves = [move for move in Table().shows(rows, config=LITERAL).moves if move.content.kind is FILE]
        assert [(move.delta, move.reason) for move in moves] == [(8.0, "semantic_search_rank_3")]

    def test_nobody_pays_and_decay_begins_anew_but_nothing_was_used(self) -> None:
        table = Table()
        assert all(move.delta > 0.0 for move in table.shows(12, config=LITERAL).moves)
        after = table.states[chunk("h1")]
        assert (after.last_use, after.uses, after.updates) == (0.0, 0, 1)
        assert chunk("h11") not in table.states, "no boost beyond rank 10"

    def test_by_default_a_search_moves_nothing(self) -> None:
        step = Table().shows()
        assert (step.moves, step.states) == ([], {})


class TestAContest:
    def test_what_is_read_wins_against_the_mean_of_what_else_was_shown(self) -> None:
        table = Table()
        table.shows(3)
        table.put(file("1.py"), elo=1300.0)
        table.put(file("3.py"), elo=1500.0)
        moves = table.uses(file("2.py"))
        assert moves[file("2.py")].delta == pytest.approx(16.0 * (1.0 - expected_score(1200.0, 1400.0)))
        assert moves[file("2.py")].reason == "file_read"

    def test_payments_go_by_how_far_each_was_expected_to_be_used(self) -> None:
        table = Table()
        table.shows(3)
        table.put(file("3.py"), elo=1400.0)
        moves = table.uses(file("2.py"))
        first, third = expected_score(1200.0, 1200.0), expected_score(1400.0, 1200.0)
        assert moves[file("3.py")].delta / moves[file("1.py")].delta == pytest.approx(third / first)
        assert {moves[file(name)].reason for name in ("1.py", "3.py")} == {UNUSED}

    def test_payments_go_by_the_rating_of_what_was_used(self) -> None:
        table = Table()
        table.shows(3)
        table.put(file("2.py"), elo=1800.0)
        table.put(file("3.py"), elo=1600.0)
        moves = table.uses(file("2.py"))
        shares = expected_score(1600.0, 1800.0) / expected_score(1200.0, 1800.0)
        assert moves[file("3.py")].delta / moves[file("1.py")].delta == pytest.approx(shares)

    def test_without_a_search_the_mean_of_the_pool_is_the_opponent_and_nobody_pays(self) -> None:
        table = Table(means={FILE: 1400.0})
        moves = table.uses(file("a.py"), search="")
        assert list(moves) == [file("a.py")]
        assert moves[file("a.py")].delta == pytest.approx(16.0 * (1.0 - expected_score(1200.0, 1400.0)))

    @pytest.mark.parametrize(("action", "weight"), [(Action.CITED, 1.5), (Action.USED, 2.0), (Action.OPENED, 1.0)])
    def test_bonuses(self, action: Action, weight: float) -> None:
        assert Table().uses(file("a.py"), search="", action=action)[file("a.py")].delta == pytest.approx(8.0 * weight)

    def test_contradicted_loses_and_nobody_gains_and_it_was_no_use(self) -> None:
        table = Table()
        table.shows(3)
        moves = table.uses(file("2.py"), action=Action.CONTRADICTED)
        assert [(move.content, move.delta, move.reason) for move in moves.values()] == [
            (file("2.py"), -8.0, "file_contradicted")
        ]
        assert (table.states[file("2.py")].uses, table.states[file("2.py")].last_use) == (0, None)

    def test_what_was_contradicted_was_not_used_and_pays_and_may_be_used_later(self) -> None:
        table = Table()
        table.shows(3)
        table.uses(file("2.py"), action=Action.CONTRADICTED)
        assert table.uses(file("1.py"))[file("2.py")].reason == UNUSED
        moves = table.uses(file("2.py"))
        assert moves[file("2.py")].delta > 8.0, "it wins, and has back what it paid"
        assert moves[chunk("h2")].reason == "semantic_search_rank_2"

    def test_uses_count_by_their_times_in_whatever_order_they_come(self) -> None:
        table = Table()
        for time in (500.0, 100.0, 900.0, 300.0):
            table.uses(file("a.py"), search="", time=time)
        after = table.states[file("a.py")]
        assert (after.first_use, after.last_use, after.recent) == (100.0, 900.0, (100.0, 300.0, 500.0, 900.0))

    def test_a_closed_gate_is_for_gains_and_losses_alike(self) -> None:
        table = Table()
        table.shows(3)
        table.put(file("1.py"), truth=LOW)
        paid = table.uses(file("3.py"))
        assert paid[file("1.py")].delta / paid[file("2.py")].delta == pytest.approx(0.25)
        table.put(file("x.py"), truth=LOW)
        assert table.uses(file("x.py"), search="")[file("x.py")].delta == pytest.approx(2.0)
        lost = table.uses(file("x.py"), search="", action=Action.CONTRADICTED)[file("x.py")]
        assert lost.delta == pytest.approx(-4.0 * expected_score(1202.0, 1200.0))
        assert (lost.gate, lost.r) == (0.25, 0.5)

    def test_a_vector_has_the_r_of_its_file_where_it_has_none(self) -> None:
        table = Table()
        table.put(file("1.py"), truth=LOW)
        move = next(m for m in table.shows(config=LITERAL).moves if m.content == chunk("h1"))
        assert (move.delta, move.r) == (4.0, 0.5)


class TestWithinOneSearch:
    def test_who_is_used_later_has_its_payment_back(self) -> None:
        table = Table()
        table.shows(3)
        paid = table.uses(file("1.py"))[file("2.py")].delta
        assert paid == pytest.approx(-4.0)
        then = table.uses(file("2.py"))
        gain = 16.0 * (1.0 - expected_score(1196.0, 1196.0))
        assert then[file("2.py")].delta == pytest.approx(gain - paid)
        assert then[file("3.py")].delta == pytest.approx(paid - gain), "who is left pays for both"
        assert file("1.py") not in then

    def test_a_closed_gate_keeps_nothing_of_what_comes_back(self) -> None:
        table = Table()
        table.shows(3)
        table.put(file("2.py"), truth=LOW)
        paid = table.uses(file("1.py"))[file("2.py")].delta
        assert paid == pytest.approx(-8.0 / 5), "a quarter of a share, of 8 points for one and a quarter"
        level = (table.states[file("2.py")].elo, table.states[file("3.py")].elo)
        gain = table.uses(file("2.py"))[file("2.py")].delta
        assert gain == pytest.approx(4.0 * (1.0 - expected_score(*level)) - paid)

    def test_a_use_counts_once_and_a_citation_besides(self) -> None:
        table = Table()
        table.shows(3)
        assert table.uses(file("1.py"))
        assert table.uses(file("1.py"), action=Action.OPENED) == {}
        assert table.uses(file("1.py"), action=Action.EXPANDED) == {}
        assert table.uses(file("1.py"), action=Action.CITED)[file("1.py")].reason == "file_citation"

    def test_the_last_one_standing_has_the_pool_for_an_opponent(self) -> None:
        table = Table(means={FILE: 1400.0})
        table.shows(1)
        moves = table.uses(file("1.py"))
        assert moves[file("1.py")].delta == pytest.approx(16.0 * (1.0 - expected_score(1200.0, 1400.0)))

    def test_the_chunk_that_led_there_gains_by_its_rank_and_the_others_pay(self) -> None:
        table = Table()
        rows = [("h1", "a.py"), ("h2", "b.py"), ("h3", "a.py"), ("h4", "c.py")]
        table.shows([Shown(rank=n, path=path, hash=hash) for n, (hash, path) in enumerate(rows, 1)])
        moves = table.uses(file("a.py"))
        assert (moves[chunk("h1")].delta, moves[chunk("h1")].reason) == (16.0, "semantic_search_rank_1")
        assert chunk("h3") not in moves, "of the same file: it neither led there nor elsewhere"
        assert moves[chunk("h2")].delta == moves[chunk("h4")].delta == pytest.approx(-8.0)

    def test_the_other_chunks_of_what_is_used_later_have_back_what_they_paid(self) -> None:
        table = Table()
        rows = [("h1", "a.py"), ("h2", "a.py"), ("h3", "b.py"), ("h4", "c.py")]
        table.shows([Shown(rank=n, path=path, hash=hash) for n, (hash, path) in enumerate(rows, 1)])
        paid = table.uses(file("b.py"))[chunk("h2")].delta
        moves = table.uses(file("a.py"))
        assert paid == pytest.approx(-8.0 / 3)
        assert (moves[chunk("h2")].delta, moves[chunk("h2")].reason) == (pytest.approx(-paid), RETURNED)
        assert moves[chunk("h4")].delta == pytest.approx(2 * paid - 16.0)

    def test_a_chunk_beyond_rank_ten_was_used_and_moves_nothing(self) -> None:
        table = Table()
        table.shows(12)
        moves = table.uses(file("12.py"))
        assert {content.kind for content in moves} == {FILE}
        after = table.states[chunk("h12")]
        assert (after.uses, after.updates, after.elo) == (1, 0, 1200.0)

    def test_a_vector_that_is_cited_moves_once(self) -> None:
        table = Table()
        table.shows(3)
        moves = table.uses(chunk("h2", "2.py"), file("2.py"), action=Action.CITED)
        assert moves[chunk("h2")].reason == "vector_citation"
        assert moves[chunk("h2")].delta == pytest.approx(12.0)

    @pytest.mark.parametrize(("days", "is_open"), [(0.99, True), (1.01, False), (-0.99, True), (-1.01, False)])
    def test_a_search_is_open_for_a_day(self, days: float, is_open: bool) -> None:
        table = Table()
        table.shows(3)
        assert (file("2.py") in table.uses(file("1.py"), time=days * 86_400.0)) is is_open

    def test_a_search_that_nobody_knows_is_none(self) -> None:
        assert list(Table().uses(file("a.py"), search="gone")) == [file("a.py")]


class TestBounds:
    def test_a_clamp_is_recorded(self) -> None:
        table = Table(means={FILE: 4000.0})
        table.put(file("a.py"), elo=3999.0)
        move = table.uses(file("a.py"), search="")[file("a.py")]
        assert (move.new, move.old + 16.0 * (1.0 - expected_score(3999.0, 4000.0)) - move.new) == (4000.0, move.clamped)

    def test_at_the_floor_nothing_is_paid_and_so_nothing_comes_back(self) -> None:
        table = Table()
        table.shows(2)
        table.put(file("2.py"), elo=100.0)
        assert table.uses(file("1.py"))[file("2.py")].delta == 0.0
        assert table.uses(file("2.py"))[file("2.py")].delta == pytest.approx(
            16.0 * (1.0 - expected_score(100.0, 1200.0))
        )


class TestDecayFoldedIn:
    FOLDED = UsageConfig(fold_decay=True)

    def test_a_move_starts_from_where_decay_has_brought_it(self) -> None:
        table = Table()
        table.put(file("a.py"), elo=1600.0, last_use=0.0)
        move = table.uses(file("a.py"), search="", time=30 * 86_400.0, config=self.FOLDED)[file("a.py")]
        assert move.old == pytest.approx(800.0 + 800.0 / math.e)
        assert move.delta == pytest.approx(16.0 * (1.0 - expected_score(move.old, 1200.0)))

    def test_what_was_not_accessed_is_not_eroded_twice(self) -> None:
        table = Table()
        table.put(file("a.py"), elo=1600.0, last_use=0.0)
        move = table.uses(file("a.py"), search="", time=30 * 86_400.0, config=self.FOLDED, action=Action.CONTRADICTED)[
            file("a.py")
        ]
        assert move.old == 1600.0


def test_reasons_are_the_documents() -> None:
    said = {(action, kind): reason_of(action, kind) for action in Action for kind in ContentKind}
    assert said[Action.READ, FILE] == "file_read"
    assert said[Action.EXPANDED, SYMBOL] == "symbol_expansion"
    assert said[Action.CITED, ADR] == "adr_citation"
    assert (said[Action.READ, ADR], said[Action.USED, FILE], said[Action.USED, SYMBOL]) == (
        "adr_read",
        "file_used",
        "symbol_used",
    )


PATHS = [f"{letter}.py" for letter in "abcdef"]
rows = st.lists(
    st.tuples(st.sampled_from(PATHS), st.integers(0, 9), st.sampled_from(["", "ADR-1", "ADR-2"])),
    min_size=1,
    max_size=12,
)
acts = st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(list(Action)), st.booleans()), min_size=1, max_size=8)


def _shown_rows(made: list[tuple[str, int, str]]) -> list[Shown]:
    return [Shown(rank=n, path=path, hash=f"h{hash}{path}", adr=adr) for n, (path, hash, adr) in enumerate(made, 1)]


@given(
    made=rows,
    acted=acts,
    elos=st.lists(st.floats(200, 3000), min_size=6, max_size=6),
    truth=st.lists(st.sampled_from([(), HIGH, LOW]), min_size=6, max_size=6),
)
def test_whatever_is_used(
    made: list[tuple[str, int, str]],
    acted: list[tuple[str, Action, bool]],
    elos: list[float],
    truth: list[tuple[tuple[TruthSource, float], ...]],
) -> None:
    """A use never lowers; the moves of a kind add up to nothing where others were shown; all that is read was told."""
    table = Table()
    for path, elo, known in zip(PATHS, elos, truth, strict=True):
        table.put(file(path), elo=elo, truth=known)
    table.shows(_shown_rows(made))
    for path, action, with_record in acted:
        contents = (file(path), Content(kind=ADR, id="ADR-1", path=path)) if with_record else (file(path),)
        event = Use(id="u", time=60.0, action=action, contents=contents, search="s")
        table.asked.clear()
        step = use(event, table, UsageConfig())
        assert table.asked <= touched(event, table.searches["s"])
        table.take(step)
        sums: Counter[ContentKind] = Counter()
        for move in step.moves:
            sums[move.content.kind] += move.delta + move.clamped
            if move.content in contents:
                assert (move.delta < 0) if action is Action.CONTRADICTED else (move.delta >= 0)
            elif move.reason == UNUSED:
                assert move.delta <= 0
        paid = {move.content.kind for move in step.moves if move.reason == UNUSED}
        assert all(abs(sums[kind]) < 1e-9 for kind in paid)


@given(made=rows, order=st.permutations(PATHS))
def test_in_the_end_all_that_were_used_have_back_what_they_paid(
    made: list[tuple[str, int, str]], order: list[str]
) -> None:
    table = Table()
    table.shows(_shown_rows(made))
    for path in order:
        table.uses(file(path))
    assert table.searches["s"].paid == {}
    assert all(table.states[file(path)].elo > 1200.0 for path in PATHS)


def test_what_a_search_showed_keeps_the_order_of_ranks() -> None:
    found = shown(_shown_rows([("b.py", 1, ""), ("a.py", 2, ""), ("b.py", 3, "")]), FILE)
    assert list(found.items()) == [(file("b.py"), 1), (file("a.py"), 2)]
