"""The digest of events: kept in step, it is what reading all of them anew would give, and reads each once."""

import random
from datetime import UTC, datetime

from paragone.ledger import Event
from paragone.tournaments.state.history import FALLBACK, RESTORED, EventReader, EventState

AT = datetime(2026, 1, 1, tzinfo=UTC)


def event(kind, **detail):
    return Event(kind=kind, detail=detail, at=AT)


def events_of(count, seed=1):
    rng = random.Random(seed)
    some = [f"i{number}" for number in range(9)]
    asked = [f"r{number}" for number in range(30)]
    made = {
        "joined": lambda: event("joined", items=rng.sample(some, 2), round=rng.randrange(9)),
        "retired": lambda: event("retired", items=rng.sample(some, 2), reason="old"),
        "returned": lambda: event("returned", items=rng.sample(some, 3)),
        "request": lambda: event("request", id=rng.choice(asked), hypothesis_id=rng.choice(some)),
        "round": lambda: event(
            "round",
            number=1,
            served=rng.sample(asked, 2),
            refused=[{"id": rng.choice(asked), "reason": ""}],
            brackets={"fast_track": [rng.sample(some, 2)]},
        ),
        FALLBACK: lambda: event(FALLBACK, call=rng.choice(some), step=rng.choice(("shorter", "later")), turns=1),
        RESTORED: lambda: event(RESTORED, call=rng.choice(some), turns=3),
        "stopped": lambda: event("stopped", reason=""),
    }
    return [made[rng.choice(tuple(made))]() for _ in range(count)]


def values(happened):
    kept = ("entered", "retired", "requests", "fast_track", "last_round", "turns_left")
    return {name: getattr(happened, name) for name in kept} | {"order": list(happened.requests)}


class Counted(list):
    """Events that count how many of them were read."""

    def __init__(self, events=()):
        super().__init__(events)
        self.reads = 0

    def __getitem__(self, at):
        found = super().__getitem__(at)
        self.reads += len(found) if isinstance(at, slice) else 1
        return found


def test_kept_in_step_it_is_what_reading_all_gives():
    rng, happened, settled, digest = random.Random(2), [], 0, EventReader()
    for step in range(60):
        happened += events_of(rng.randrange(5), seed=step)
        if step % 4 == 3:  # the end is read anew, among what others did
            happened[settled:] = events_of(rng.randrange(9), seed=1000 + step)
            settled = len(happened)
        assert values(digest.of(happened, settled)) == values(EventState(happened))
    assert settled > 60


def test_a_match_that_ran_out_of_time_has_no_turns_left():
    assert EventState([event(FALLBACK, match="1.1", step="later")]).turns_left == {}


def test_a_request_is_open_until_a_round_serves_or_refuses_it():
    asking = [event("request", id=id, hypothesis_id="a") for id in ("x", "y", "z", "x")]
    planned = event("round", number=1, served=["y"], refused=[{"id": "z", "reason": "no"}])
    assert list(EventState(asking).requests) == ["x", "y", "z"]
    assert list(EventState([*asking, planned, asking[1]]).requests) == ["x"]


def test_each_event_is_read_once_however_long_it_goes_on():
    happened, digest = Counted(), EventReader()
    reads = []
    for _ in range(200):
        happened.append(event("round", number=1))
        happened.reads = 0
        digest.of(happened, len(happened))
        happened.append(event("stopped", reason=""))  # by this process, so far
        digest.of(happened, len(happened) - 1)
        reads.append(happened.reads)
    assert max(reads) <= 4
