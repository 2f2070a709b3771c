"""The votes on one pool: each counts once, can be taken back, and nobody is shown the same again."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from paragone.domain import Choice, Goal, Item, Match, Outcome, Rating, RatingConfig, Usage, Verdict
from paragone.errors import Busy, Conflict, NotFound
from paragone.ledger import Ledger
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.voting import pair_queue, vote_planner, voters
from paragone.web.voting.pool_voting import Offer, PoolVoting, RecordedAnswer
from paragone.web.voting.voters import PEOPLE, RECENT, VoteRecord

ANN, BEN = "human:ann", "human:ben"
HOUR = 3600.0


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Table:
    """A pool of so many items, and what makes its votings, each as a process of its own would have one."""

    ledger: Ledger
    pool: str
    clock: Clock
    aside: ThreadPoolExecutor

    def planned(self) -> None:
        """Wait until whatever was to be planned is."""
        self.aside.submit(lambda: None).result()

    def voting(self, turn: int | None = None) -> PoolVoting:
        turns = {} if turn is None else {"new_turn": lambda: turn}
        return PoolVoting(self.ledger, self.pool, Goal(), self.aside, clock=self.clock, **turns)


@pytest.fixture
def laid(tmp_path: Path) -> Iterator[Callable[[int], Table]]:
    aside = ThreadPoolExecutor(max_workers=1)
    with Ledger.open(tmp_path / "votes.db") as ledger:

        def lay(items: int) -> Table:
            brief = settings_for(items, criteria="bigger", judge=PEOPLE, seed=1)
            pool = tuple(Item(id=f"i{number}", text=f"text {number}") for number in range(items))
            return Table(ledger, TournamentState.begin(ledger, "pool", brief, pool, RatingConfig()).id, Clock(), aside)

        yield lay
        aside.shutdown()


def offered(voting: PoolVoting, judge: str = ANN) -> Offer:
    found = voting.offer(judge, HOUR)
    assert found is not None
    return found


def verdict(choice: Choice, judge: str = ANN, seconds: float = 1.0) -> Verdict:
    return Verdict(choice=choice, judge=judge, usage=Usage(calls=1, seconds=seconds))


def bigger(offer: Offer) -> Verdict:
    return verdict(Choice.FIRST if int(offer.first[1:]) > int(offer.second[1:]) else Choice.SECOND, offer.judge)


def test_a_vote_is_a_match_by_a_human_judge(laid: Callable[[int], Table]) -> None:
    table = laid(4)
    voting = table.voting()
    offer = offered(voting)
    assert voting.answer(offer, verdict(Choice.SECOND)) == RecordedAnswer(id=offer.id, is_new=True)
    match = table.ledger.matches.get(table.pool, offer.id).match
    assert (match.a, match.b, match.outcome.value) == (offer.first, offer.second, "b")
    assert match.comparisons[0].verdict.judge == ANN
    ratings = table.ledger.ratings.all(table.pool)
    assert ratings[offer.second].wins == ratings[offer.first].losses == 1


def cast(voting: PoolVoting, offer: Offer) -> tuple[RecordedAnswer, Offer | None]:
    return asyncio.run(voting.vote(offer, bigger(offer), HOUR))


def test_an_event_loop_takes_the_votes_that_threads_take(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quick way beside the plain one, with the same draws: the same pairs to the last."""
    monkeypatch.setattr("paragone.web.voting.pair_queue.REST", 1e9)
    monkeypatch.setattr("paragone.web.voting.pair_queue.LONGEST_REST", 1e9)
    table, plain_table = laid(6), laid(6)
    quick, plain = table.voting(turn=1), plain_table.voting(turn=1)
    offer: Offer | None = offered(quick)
    count = 0
    while offer is not None:
        expected = offered(plain)
        assert (offer.first, offer.second) == (expected.first, expected.second)
        assert plain.answer(expected, bigger(expected)) == RecordedAnswer(id=expected.id, is_new=True)
        id = offer.id
        done, offer = cast(quick, offer)
        assert done == RecordedAnswer(id=id, is_new=True)
        count += 1
        assert quick.votes(ANN) == plain.votes(ANN) == (count, 0)
    assert plain.offer(ANN, HOUR) is None
    assert count == 30
    assert table.ledger.ratings.all(table.pool) == plain_table.ledger.ratings.all(table.pool)


def test_a_vote_again_or_another_one_is_told_apart_in_an_event_loop_too(laid: Callable[[int], Table]) -> None:
    table = laid(4)
    voting = table.voting()
    offer = offered(voting)
    done, following = cast(voting, offer)
    again, same = cast(voting, offer)
    assert (again.id, again.is_new, same) == (done.id, False, following)
    other = Choice.SECOND if bigger(offer).choice is Choice.FIRST else Choice.FIRST
    with pytest.raises(Conflict, match="another window"):
        asyncio.run(voting.vote(offer, verdict(other), HOUR))
    assert table.ledger.matches.count(table.pool) == 1


def test_a_pair_whose_vote_was_taken_back_comes_again_under_another_id(laid: Callable[[int], Table]) -> None:
    table = laid(2)
    voting = table.voting()
    offer = offered(voting)
    first, following = cast(voting, offer)
    assert following is not None
    table.ledger.matches.rollback(table.pool, first.id, "by an admin")
    _, again = cast(voting, following)
    assert again is not None
    assert (again.first, again.second) == (offer.first, offer.second)
    assert cast(voting, again) == (RecordedAnswer(id=again.id, is_new=True), None)
    assert again.id != offer.id
    assert voting.votes(ANN) == (2, 0)


def test_those_who_come_while_votes_are_read_share_the_next_read(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, reads, began, go_on = laid(4), [], threading.Event(), threading.Event()
    record, read = VoteRecord(table.ledger, table.pool), VoteRecord._read

    def counted(self: VoteRecord) -> None:
        reads.append(1)
        began.set()
        assert go_on.wait(10)
        read(self)

    monkeypatch.setattr(VoteRecord, "_read", counted)

    async def many() -> None:
        first = asyncio.create_task(record.heard())
        await asyncio.to_thread(began.wait, 10)
        others = [asyncio.create_task(record.heard()) for _ in range(15)]
        await asyncio.sleep(0)
        others[3].cancel()
        go_on.set()
        await asyncio.gather(first, *others, return_exceptions=True)

    asyncio.run(many())
    assert len(reads) == 2


def test_a_vote_is_added_where_it_is_recorded_and_others_are_heard_once_a_second(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a record that reads all; a vote that was rolled back before it is added stays so."""
    table, reads = laid(5), []
    voting, elsewhere, record = table.voting(), table.voting(), VoteRecord(table.ledger, table.pool)
    read = VoteRecord._read
    monkeypatch.setattr(VoteRecord, "_read", lambda self: (reads.append(self), read(self)))
    now = [100.0]
    monkeypatch.setattr(voters, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def cast(by: PoolVoting, judge: str) -> Match:
        offer = by.offer(judge, 60.0)
        assert offer is not None
        return table.ledger.matches.get(table.pool, by.answer(offer, verdict(Choice.FIRST, judge=judge)).id).match

    def heard(match: Match) -> int:
        before = reads.count(record)
        asyncio.run(record.add(match))
        return reads.count(record) - before

    first, other = cast(voting, "human:ann"), cast(elsewhere, "human:bob")
    assert heard(first) == 1
    assert record.of("human:bob").votes == 1
    second = cast(elsewhere, "human:bob")
    assert heard(cast(voting, "human:ann")) == 0
    assert (record.of("human:ann").votes, record.of("human:bob").votes) == (2, 1)
    now[0] += 1.1
    assert heard(cast(voting, "human:ann")) == 1
    assert list(record.of("human:bob").casts) == [other.id, second.id]
    assert record.of("human:ann").casts.keys() == {cast.id for cast in voting._record.of("human:ann").casts.values()}
    third = cast(elsewhere, "human:bob")
    table.ledger.matches.rollback(table.pool, third.id, "disputed")
    record.hear()
    assert heard(third) == 0
    assert record.of("human:bob").votes == 2


def test_who_clicks_twice_votes_once(laid: Callable[[int], Table]) -> None:
    table = laid(4)
    voting = table.voting()
    offer = offered(voting)
    voting.answer(offer, verdict(Choice.FIRST, seconds=1.0))
    before = table.ledger.ratings.all(table.pool)
    assert not voting.answer(offer, verdict(Choice.FIRST, seconds=1.2)).is_new  # the second click came later
    assert not table.voting().answer(offer, verdict(Choice.FIRST)).is_new  # and the third reached another process
    assert table.ledger.ratings.all(table.pool) == before
    assert table.ledger.matches.count(table.pool) == 1


def test_another_answer_to_the_same_offer_is_a_conflict(laid: Callable[[int], Table]) -> None:
    table = laid(4)
    voting = table.voting()
    offer = offered(voting)
    voting.answer(offer, verdict(Choice.FIRST))
    with pytest.raises(Conflict, match="another window"):
        voting.answer(offer, verdict(Choice.SECOND))
    assert table.ledger.matches.count(table.pool) == 1


def test_two_clicks_at_once_are_one_vote(laid: Callable[[int], Table]) -> None:
    table = laid(4)
    voting = table.voting()
    offer = offered(voting)
    with ThreadPoolExecutor(max_workers=4) as clicks:
        done = list(clicks.map(lambda seconds: voting.answer(offer, verdict(Choice.TIE, seconds=seconds)), range(8)))
    assert {one.id for one in done} == {offer.id}
    assert table.ledger.matches.count(table.pool) == 1
    assert voting.votes(ANN) == (1, 0)


def test_who_loads_the_page_anew_is_shown_the_same_pair(laid: Callable[[int], Table]) -> None:
    voting = laid(6).voting()
    assert offered(voting) == offered(voting)
    assert offered(voting).key != offered(voting, BEN).key


def test_an_offer_that_is_half_over_is_replaced(laid: Callable[[int], Table]) -> None:
    table = laid(6)
    voting = table.voting()
    first = offered(voting)
    table.clock.now += HOUR / 2 + 1
    assert offered(voting).until > first.until


def test_undo_takes_the_last_vote_back_and_shows_its_pair_again(laid: Callable[[int], Table]) -> None:
    table = laid(6)
    voting = table.voting()
    before = {id: rating.elo for id, rating in table.ledger.ratings.all(table.pool).items()}
    offer = offered(voting)
    voting.answer(offer, verdict(Choice.FIRST))
    following = offered(voting)
    again = voting.undo(ANN, offer.id, HOUR)
    assert again is not None
    assert (again.first, again.second) == (offer.first, offer.second)
    assert again.id != offer.id
    assert {id: rating.elo for id, rating in table.ledger.ratings.all(table.pool).items()} == before
    assert table.ledger.matches.get(table.pool, offer.id).rolled_back
    assert voting.undo(ANN, offer.id, HOUR) == again  # again, it changes nothing
    assert voting.votes(ANN) == (0, 0)
    voting.answer(again, verdict(Choice.SECOND))
    assert offered(voting).key == following.key  # which was put back
    assert table.ledger.audit(table.pool).ok


def test_an_offer_whose_vote_was_taken_back_can_be_answered_otherwise(laid: Callable[[int], Table]) -> None:
    table = laid(4)
    voting = table.voting()
    offer = offered(voting)
    voting.answer(offer, verdict(Choice.FIRST))
    voting.undo(ANN, offer.id, HOUR)
    assert voting.answer(offer, verdict(Choice.FIRST)).is_new is False  # a late copy of what was taken back
    changed = voting.answer(offer, verdict(Choice.SECOND))
    assert changed.is_new
    assert changed.id != offer.id
    assert voting.last(ANN) == changed.id


def test_only_the_last_vote_of_ones_own_can_be_taken_back(laid: Callable[[int], Table]) -> None:
    voting = laid(6).voting()
    first = offered(voting)
    voting.answer(first, bigger(first))
    second = offered(voting)
    voting.answer(second, bigger(second))
    with pytest.raises(Conflict, match="older one"):
        voting.undo(ANN, first.id, HOUR)
    with pytest.raises(NotFound, match="cast no vote"):
        voting.undo(BEN, second.id, HOUR)
    with pytest.raises(NotFound):
        voting.undo(ANN, "vote-none", HOUR)


def test_a_skipped_pair_moves_nothing_and_is_not_shown_to_that_voter_at_once(laid: Callable[[int], Table]) -> None:
    table = laid(6)
    voting = table.voting()
    skipped: list[frozenset[str]] = []
    for _ in range(RECENT):
        offer = offered(voting)
        assert offer.key not in skipped
        skipped.append(offer.key)
        voting.answer(offer, verdict(Choice.ABSTAIN))
    assert all(rating.matches == 0 for rating in table.ledger.ratings.all(table.pool).values())
    assert {entry.match.outcome.value for entry in table.ledger.matches.all(table.pool)} == {"void"}
    assert voting.votes(ANN) == (0, RECENT)


def test_everybody_may_see_every_pair_in_both_orders_once(laid: Callable[[int], Table]) -> None:
    table = laid(4)
    voting = table.voting()
    for judge in (ANN, BEN):
        seen: Counter[tuple[str, str]] = Counter()
        while (offer := voting.offer(judge, HOUR)) is not None:
            seen[offer.first, offer.second] += 1
            voting.answer(offer, bigger(offer))
        assert set(seen.values()) == {1}
        assert len(seen) == 12
    assert table.ledger.matches.count(table.pool) == 24


def test_sides_are_balanced_and_the_order_is_found(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned whenever it is worth a fit, and never beside the votes, so that no pair depends on how fast this is."""
    monkeypatch.setattr("paragone.web.voting.pair_queue.REST", 1e9)
    monkeypatch.setattr("paragone.web.voting.pair_queue.LONGEST_REST", 1e9)
    table = laid(10)
    voting = table.voting(turn=3)
    left: Counter[str] = Counter()
    for answers in range(60):
        if answers % pair_queue.EVERY == 0:
            voting.plan()
        offer = offered(voting)
        left[offer.first] += 1
        left[offer.second] -= 1
        voting.answer(offer, bigger(offer))
        table.clock.now += 1.0
    voting.plan()
    seen = voting.progress
    assert seen is not None
    assert seen.tau is not None
    assert seen.tau > 0.8, (seen.tau, sorted(left.items()))
    assert seen.answers == 60
    assert max(map(abs, left.values())) <= 4
    standing = TournamentState.load(table.ledger, table.pool).posterior
    assert max(standing.ids, key=lambda item: standing.strengths[item].rating) == "i9"


def test_many_votes_at_once_do_not_keep_the_planner_busy(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the planner rests, pairs come from the previous fit."""
    monkeypatch.setattr("paragone.web.voting.pair_queue.REST", 1e9)
    monkeypatch.setattr("paragone.web.voting.pair_queue.LONGEST_REST", 1e9)
    table = laid(16)
    voting = table.voting()
    voting.plan()
    plan = voting._pairs._latest
    for _ in range(3 * pair_queue.EVERY):
        offer = offered(voting)
        voting.answer(offer, bigger(offer))
    table.planned()
    assert voting._pairs._latest is plan
    assert table.ledger.matches.count(table.pool) == 24
    voting.plan()
    assert voting.progress is not None
    assert voting.progress.answers == 24


def test_it_takes_in_what_other_processes_did(laid: Callable[[int], Table]) -> None:
    table = laid(5)
    here, there = table.voting(), table.voting()
    offered(here)
    told = []
    for _ in range(6):
        offer = offered(there)
        there.answer(offer, bigger(offer))
        told.append(offer)
    there.undo(ANN, told.pop().id, HOUR)
    table.ledger.items.add(table.pool, [Item(id="i5", text="new")])
    here.plan()
    assert here.votes(ANN) == (5, 0)
    assert here.last(ANN) == told[-1].id
    assert here.progress is not None
    assert here.progress.answers == 5
    seen: set[str] = set()
    for _ in range(12):
        offer = offered(here, BEN)
        seen |= offer.key
        here.answer(offer, bigger(offer))
    assert "i5" in seen


def test_one_who_is_shown_a_pair_in_two_windows_by_two_processes_votes_on_it_once(
    laid: Callable[[int], Table],
) -> None:
    table = laid(6)
    here, there = table.voting(turn=1), table.voting(turn=1)
    first, second = offered(here), offered(there)
    assert (first.first, first.second, first.id) == (second.first, second.second, second.id)
    assert first.id != offered(table.voting(turn=1), BEN).id
    assert here.answer(first, bigger(first)).is_new
    assert not there.answer(second, bigger(second)).is_new
    assert table.ledger.matches.count(table.pool) == 1
    assert offered(there).key != first.key, "the window that was not used goes on as well"


def test_undo_and_skips_count_in_whichever_process_they_come_to(laid: Callable[[int], Table]) -> None:
    table = laid(6)
    here, there = table.voting(turn=1), table.voting(turn=1)
    older = offered(here)
    here.answer(older, bigger(older))
    newer = offered(there)
    assert newer.key != older.key
    there.answer(newer, verdict(Choice.ABSTAIN))
    with pytest.raises(Conflict, match="older one"):
        here.undo(ANN, older.id, HOUR)
    assert (here.votes(ANN), here.last(ANN)) == ((1, 1), newer.id)
    assert offered(here).key not in {older.key, newer.key}
    anew = table.voting(turn=2)  # a process that was started since
    with pytest.raises(Conflict, match="older one"):
        anew.undo(ANN, older.id, HOUR)
    again = anew.undo(ANN, newer.id, HOUR)
    assert again is not None
    assert (again.key, again.id != newer.id) == (newer.key, True)
    assert here.undo(ANN, older.id, HOUR) is not None
    late = there.answer(newer, verdict(Choice.FIRST))  # the window that still had the pair
    assert (late.id, anew.answer(again, verdict(Choice.FIRST)).is_new) == (again.id, False)


def test_the_plan_is_made_now_and_then_and_not_for_each_vote(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_queue, "REST", 0.0)
    monkeypatch.setattr(pair_queue, "FEW", 1000)
    table = laid(12)
    looks: list[int] = []
    real = vote_planner.FittedPlanner.look

    def counted(
        self: vote_planner.FittedPlanner, turn: int, waiting: list[vote_planner.IdPair], size: int
    ) -> vote_planner.PlannedPairs:
        looks.append(turn)
        return real(self, turn, waiting, size)

    monkeypatch.setattr(vote_planner.FittedPlanner, "look", counted)
    voting = table.voting()
    for _ in range(40):
        offer = offered(voting)
        voting.answer(offer, bigger(offer))
        table.planned()
    assert len(looks) == 40 / pair_queue.EVERY


def test_a_large_pool_is_planned_by_neighbours_of_the_running_elo(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vote_planner, "MOST_ITEMS", 50)
    table = laid(60)
    voting = table.voting()
    voted = []
    for _ in range(40):
        offer = offered(voting)
        voted.append(offer.key)
        voting.answer(offer, bigger(offer))
        table.clock.now += 1.0
    voting.plan()
    assert voting.progress is None
    assert voting.votes(ANN) == (40, 0)
    order = [rating.item for rating in table.ledger.ratings.leaderboard(table.pool, count=60)]
    place = {id: at for at, id in enumerate(order)}
    anew = table.voting()
    assert offered(anew).key not in voted[-RECENT:]  # nothing was forgotten at a new start
    assert anew.votes(ANN) == (40, 0)
    for _ in range(10):
        offer = offered(voting, BEN)
        near = abs(place[offer.first] - place[offer.second])
        assert min(near, 60 - near) <= vote_planner.LOOK
        voting.answer(offer, verdict(Choice.ABSTAIN, BEN))


def test_an_item_that_a_vote_lowers_meanwhile_is_not_its_own_neighbour(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two look-ups of a draw the item loses a match: it is then just below the rating that was read."""
    table = laid(2)
    read = table.ledger.ratings.by_id

    def read_and_lose(pool: str, ids: list[str]) -> dict[str, Rating]:
        before = read(pool, ids)
        (loser,) = ids
        winner = "i1" if loser == "i0" else "i0"
        table.ledger.matches.record(pool, Match(id="m", a=winner, b=loser, outcome=Outcome.A))
        return before

    monkeypatch.setattr(table.ledger.ratings, "by_id", read_and_lose)
    pair = vote_planner.NeighbourPlanner(table.ledger, table.pool).draw(1, ())
    assert pair is not None
    assert set(pair) == {"i0", "i1"}


def test_nobody_waits_for_the_first_plan(laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_queue, "SOON", 0.05)
    table, released = laid(60), threading.Event()
    table.aside.submit(released.wait)  # the plan waits its turn, as it does while a fit takes long
    voting = table.voting()
    voters = [f"human:v{number}" for number in range(12)]
    try:
        with ThreadPoolExecutor(max_workers=len(voters)) as at_once:
            first = list(at_once.map(lambda voter: offered(voting, voter), voters))
        assert len({offer.key for offer in first}) > len(voters) / 2, "not all the same pair"
        assert voting.pending
        assert voting.progress is None
        seen: list[frozenset[str]] = []
        for _ in range(20):
            offer = offered(voting)
            assert offer.key not in seen[-RECENT:]
            seen.append(offer.key)
            voting.answer(offer, bigger(offer))
    finally:
        released.set()
    voting.plan()
    assert not voting.pending
    assert voting.progress is not None
    assert voting.progress.answers == 20
    assert offered(voting).key not in seen[-RECENT:]


def test_a_small_pool_is_seen_whole_though_the_first_plan_is_late(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_queue, "SOON", 0.0)
    monkeypatch.setattr(pair_queue, "PATIENCE", 0.05)
    table, released = laid(3), threading.Event()
    table.aside.submit(released.wait)
    voting = table.voting()

    def vote_on_all() -> None:
        while (offer := voting.offer(ANN, HOUR)) is not None:
            voting.answer(offer, bigger(offer))

    try:
        with pytest.raises(Busy, match="being planned"):
            vote_on_all()
    finally:
        released.set()
    voting.plan()
    vote_on_all()
    assert voting.votes(ANN) == (6, 0)


def test_any_number_of_voters_come_at_once_to_a_large_pool(
    laid: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vote_planner, "MOST_ITEMS", 50)
    voting = laid(60).voting()
    keys = [offered(voting, f"human:v{number}").key for number in range(40)]
    assert len(set(keys)) == 40, "a pair that somebody looks at is nobody else's"
    assert not voting.pending


def test_a_judge_may_hold_several_leases_and_each_is_nobody_elses(laid: Callable[[int], Table]) -> None:
    table = laid(6)
    voting = table.voting()
    held = [voting.lease("token:bot", 600.0) for _ in range(5)]
    keys = [offer.key for offer in held if offer is not None]
    assert len(set(keys)) == 5
    table.clock.now += pair_queue.STALE + 1
    voting.plan()
    assert offered(voting).key not in keys
    assert all(offer is not None and offer.id.startswith("lease-") for offer in held)


@pytest.mark.parametrize("turn", range(8))
def test_a_lease_is_renewed_and_given_back(laid: Callable[[int], Table], turn: int) -> None:
    table = laid(2)
    voting = table.voting(turn)
    lease, other = (voting.lease("token:bot", 600.0) for _ in range(2))
    assert lease is not None
    assert other is not None
    assert lease.first != other.first, "the other order: nobody else has that one"
    assert voting.lease("token:bot", 600.0) is None
    longer = voting.renew(lease, 2000.0)
    assert (longer.id, longer.until) == (lease.id, table.clock.now + 2000.0)
    table.clock.now += 601.0
    voting.plan()
    left = voting.lease("token:third", 600.0)
    assert left is not None
    assert left.first == other.first, "the one that was not renewed"
    voting.give_back(longer)
    voting.give_back(longer)
    back = voting.lease("token:third", 600.0)
    assert back is not None
    assert (back.first, back.second) == (lease.first, lease.second)
    voting.answer(longer, verdict(Choice.TIE, "token:bot"))
    with pytest.raises(Conflict, match="judged already"):
        voting.renew(longer, 60.0)


def test_a_lease_that_ended_is_planned_again(laid: Callable[[int], Table]) -> None:
    table = laid(2)
    voting = table.voting()
    taken = [voting.lease("token:bot", 600.0) for _ in range(2)]
    assert {offer.key for offer in taken if offer is not None} == {frozenset({"i0", "i1"})}
    table.clock.now += 601.0
    voting.plan()
    assert voting.lease("token:other", 600.0) is not None


def test_an_unknown_item_is_refused_and_nothing_recorded(laid: Callable[[int], Table]) -> None:
    table = laid(3)
    voting = table.voting()
    with pytest.raises(NotFound):
        voting.answer(replace(offered(voting), first="nobody"), verdict(Choice.FIRST))
    assert table.ledger.matches.count(table.pool) == 0
