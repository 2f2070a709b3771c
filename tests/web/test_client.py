"""The client against a real server: every method, and refusals as errors."""

import base64
import re
import shutil
import socket
import socketserver
import subprocess
import threading
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from prometheus_client.parser import text_string_to_metric_families

import warm_start
from local_server import free_port, served_in_thread
from paragone import Client
from paragone.client.connection import Connection
from paragone.client.events import events
from paragone.domain.gold import GoldPair
from paragone.errors import Busy, Conflict, InvalidConfig, NotFound, Refused, ServerFailed
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.wire.event import Event
from paragone.wire.pool import AddedItems, Pool

DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A PNG of one pixel."""
POOL = "tournament-1"
"""Where the views are that values of the client mirror."""


@pytest.fixture(scope="module")
def ledger(played_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the server serves."""
    return Path(shutil.copy(played_once, tmp_path_factory.mktemp("home") / "played.db"))


@pytest.fixture(scope="module")
def home(ledger: Path) -> Iterator[tuple[str, dict[Role, str]]]:
    """The address of a server with tokens, and a token of each role."""
    file = TokenFile(ledger.parent / "tokens.json")
    tokens = {role: file.add(role.name.lower(), role) for role in Role}
    with served_in_thread(WebConfig(db=str(ledger), tokens=file.path)) as running:
        yield running.url, tokens


@pytest.fixture(scope="module")
def admin(home: tuple[str, dict[Role, str]]) -> Iterator[Client]:
    url, tokens = home
    with Client(url, tokens[Role.ADMIN]) as client:
        yield client


def test_it_reads_what_there_is(admin: Client) -> None:
    pool = next(one for one in admin.pools.list() if one.id == POOL)
    assert pool == admin.pools.get(POOL)
    assert (pool.items, pool.matches) == (8, 40)
    assert pool.tournament is not None
    assert pool.tournament.criteria == "longer"
    rows = list(admin.pools.rows(POOL))
    assert [row.rank for row in rows] == sorted(row.rank for row in rows)
    assert {row.id for row in rows} == {f"i{number}" for number in range(8)}
    page = admin.pools.board(POOL, limit=3)
    rest = admin.pools.board(POOL, limit=5, cursor=page.next)
    assert [*page.rows, *rest.rows] == rows
    assert [item.text for item in admin.pools.items(POOL)] == [f"text {number}" for number in range(8)]
    best = admin.pools.item(POOL, rows[0].id)
    assert best.row == rows[0]
    assert len(best.progression) == best.moves == sum(1 for _ in admin.matches.list(POOL, best.id))
    newest = next(admin.matches.list(POOL))
    whole = admin.matches.get(POOL, newest.id)
    assert (whole.sequence, whole.at) == (newest.sequence, newest.at)
    assert whole.verdicts


def test_a_pool_is_made_voted_on_and_judged(admin: Client, home: tuple[str, dict[Role, str]]) -> None:
    url, tokens = home
    pool = admin.pools.create("ideas", "better", {"a": "one", "b": "two", "c/..": "three"}, seed=1).id
    assert admin.pools.add_items(pool, {"a": "one", "d": "four"}) == ["d"]
    assert admin.pools.item(pool, "c/..").text == "three"
    with Client(url, tokens[Role.VOTE]) as voter, Client(url, tokens[Role.JUDGE]) as judge:
        ballot = voter.votes.next(pool)
        assert (ballot.voter, ballot.criteria) == ("vote", "better")
        assert ballot.pair is not None
        voted = voter.votes.cast(pool, ballot.pair.offer, "first", seconds=1.5)
        assert voted.progress.yours == 1
        assert voter.votes.cast(pool, ballot.pair.offer, "first").vote == voted.vote
        assert admin.pools.get(pool).matches == 1
        with pytest.raises(Conflict):
            voter.votes.cast(pool, ballot.pair.offer, "second")
        assert voter.votes.undo(pool, voted.vote).progress.yours == 0
        assert admin.matches.get(pool, voted.vote).rolled_back
        lease = judge.leases.take(pool, seconds=60)
        assert lease is not None
        judged = judge.leases.judge(pool, lease.lease, "tie", rationale="alike", input_tokens=7)
        assert judged.is_new
        assert not judge.leases.judge(pool, lease.lease, "tie", rationale="alike", input_tokens=7).is_new
        told = admin.matches.get(pool, judged.match)
        assert [(one.judge, one.rationale, one.input_tokens) for one in told.verdicts] == [("token:judge", "alike", 7)]


def test_a_match_is_recorded_once_and_taken_back_once(admin: Client) -> None:
    first = admin.matches.record(POOL, "by/hand", "i1", "i2", outcome="a")
    assert admin.matches.record(POOL, "by/hand", "i1", "i2", outcome="a") == first
    with pytest.raises(Conflict):
        admin.matches.record(POOL, "by/hand", "i1", "i2", outcome="b")
    answers = [{"first": "i1", "choice": "first"}, {"first": "i2", "choice": "second"}]
    assert admin.matches.record(POOL, "by judges", "i1", "i2", answers=answers).winner == "i1"
    back = admin.matches.roll_back(POOL, "by/hand", "a slip")
    assert back.rolled_back
    assert "a slip" in back.reason
    assert admin.matches.roll_back(POOL, "by/hand", "again") == back


def test_every_route_has_a_method(admin: Client, home: tuple[str, dict[Role, str]]) -> None:
    url, tokens = home
    before = asked(url, tokens[Role.ADMIN])
    pool = admin.pools.create("routes", "better", {"a": "one", "b": "two", "c": "three"}, seed=1).id
    assert admin.pools.add_items(pool, ["four"]) == ["four"]
    assert [one.id for one in admin.pools.items(pool)] == ["a", "b", "c", "four"]
    assert pool in {one.id for one in admin.pools.list()}
    assert admin.pools.get(pool).items == len(list(admin.pools.rows(pool))) == 4
    ballot = admin.votes.next(pool)
    assert ballot.pair is not None
    assert admin.pools.show_texts_as(pool, "markdown").read_as == admin.pools.texts(pool).read_as == "markdown"
    assert admin.pools.add_image(pool, "dot.png", DOT).images == ["dot.png"]
    assert admin.pools.image(pool, "dot.png") == DOT
    shown = admin.votes.shown(pool, ballot.pair.offer)
    assert shown.left == f"<p>{ballot.pair.left}</p>\n"
    vote = admin.votes.cast(pool, ballot.pair.offer, "first").vote
    admin.votes.undo(pool, vote)
    first, second = admin.leases.take(pool), admin.leases.take(pool)
    assert first is not None
    assert second is not None
    longer = admin.leases.renew(pool, first.lease, seconds=1200)
    assert longer.until > first.until
    judged = admin.leases.judge(pool, longer.lease, "second").match
    admin.leases.give_back(pool, second.lease)
    assert admin.matches.record(pool, "own", "a", "b", outcome="draw") == admin.matches.get(pool, "own")
    assert {one.id for one in admin.matches.list(pool)} == {vote, judged, "own"}
    assert [one.id for one in admin.matches.list(pool, "a") if one.id == "own"] == ["own"]
    assert admin.matches.roll_back(pool, "own", "a slip").rolled_back
    assert admin.pools.item(pool, "a").text == "one"
    assert admin.votes.voters(pool).voters == {}
    assert [hit.excerpt for hit in admin.matches.search(pool, "on", "item").hits] == ["one"]
    assert admin.save_view("all", f"/pools/{pool}") == admin.views()
    assert admin.remove_view("all").views == []
    assert b"".join(admin.pools.export(pool, "items", "jsonl")).count(b"\n") == 4
    assert next(admin.events(pool)).pool == pool
    assert (admin.audit(pool).ok, admin.audit().ok) == (True, True)
    kept = admin.audit().heads[pool]
    assert [admin.audit(pool, expect=[kept, hash]).ok for hash in (kept, "0" * 64)] == [True, False]
    looked_at(admin)
    played(admin)
    let_in(admin)
    archived_and_deleted(admin, pool)
    with pytest.raises(NotFound, match="no anomaly"):
        admin.tournaments.review_anomaly(POOL, "none", "kept", "fair")
    document = admin._connection.get(dict[str, Any], "/openapi.json")
    ours = {
        (method, path)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if not {"agents", "memory"} & set(operation["tags"]) and "agents" not in path and "memory" not in path
    }
    there = asked(url, tokens[Role.ADMIN])
    assert ours - {key for key, count in there.items() if count > before.get(key, 0)} == set()


def let_in(admin: Client) -> None:
    """Whom there is to let in, and to shut out."""
    invitation = admin.people.invite(POOL, "read", uses=3, hours=2, a_day=9)
    assert (invitation.state, invitation.by, invitation.link[:8]) == ("open", "admin", "http://1")
    assert [each.id for each in admin.people.list().invitations] == [invitation.id]
    assert list(admin.people.sign_ins()) == []
    assert admin.people.take_back(invitation.id).state == "taken back"
    with pytest.raises(NotFound, match="nobody called 'a/b'"):
        admin.people.revoke("a/b", "left")
    with pytest.raises(NotFound, match="nobody called"):
        admin.people.set_quota("ann", POOL, 5)
    assert admin.votes.change_rules(POOL, overlap=2, known=[("i7", "i0")]).known == (GoldPair(better="i7", worse="i0"),)
    assert admin.votes.change_rules(POOL, guidelines="Be fair.") == admin.votes.rules(POOL)
    assert (admin.votes.rules(POOL).overlap, admin.votes.next(POOL).guidelines) == (2, "Be fair.")
    assert admin.votes.agreement(POOL).people == []


def archived_and_deleted(admin: Client, pool: str) -> None:
    """What there is to do to one that nobody wants to see any more."""
    assert admin.pools.rename(pool, "Old routes").title == "Old routes"
    assert admin.pools.archive(pool).state == "archived"
    assert pool not in {one.id for one in admin.pools.list()}
    assert admin.pools.archive(pool, is_archived=False).state == "active"
    assert admin.pools.delete(pool, "a trial").state == "deleted"
    assert pool in {one.id for one in admin.pools.list(archived=True)}


def looked_at(admin: Client) -> None:
    """What there is to look at of a tournament."""
    assert admin.pools.board(POOL, by="elo", limit=1).rows[0].rank == 1
    assert any(judge.judge.startswith("simulated:") for judge in admin.tournaments.judges(POOL).judges)
    assert len(admin.tournaments.head_to_head(POOL, 3).items) == 3
    assert admin.tournaments.consistency(POOL).matches >= 39
    assert not admin.tournaments.patterns(POOL).found
    assert admin.tournaments.parameters(POOL)["tournament_parameters"]["k_factor"] == 32.0
    assert admin.tournaments.standing(POOL, "i3").item == "i3"
    assert admin.tournaments.side_by_side(POOL, "i3", "i4").b.id == "i4"
    assert b"<!doctype html>" in admin.tournaments.report(POOL, "html")
    assert {row.winner for row in admin.matches.find(POOL, item="i7", outcome="won")} >= {"i7"}
    assert admin.tournaments.what_if(POOL, k=64, without_match=["1.1"], limit=1).total == 8
    assert admin.tournaments.status(POOL).hypotheses == 8
    assert admin.tournaments.history(POOL).rounds
    assert (admin.workers().workers, admin.workers().tournaments) == ((), ())
    assert list(admin.tournaments.anomalies(POOL)) == []
    assert list(admin.workers().workers) == []


def played(admin: Client) -> None:
    """What there is to do to one."""
    assert not admin.tournaments.dossier(POOL).is_given
    given = admin.tournaments.direct(POOL, "prefer what can be tested within a year")
    assert (given.number, given.by, given.withdrawn) == (1, "admin", False)
    assert admin.tournaments.withdraw(POOL, 1).withdrawn
    assert [each.withdrawn for each in admin.tournaments.directives(POOL)] == [True]
    notes = [{"item": "i1", "attributes": {"organ": "liver"}, "evidence": ["PMID 1"]}]
    informed = admin.tournaments.inform(POOL, goal="cure it", rubric=[{"name": "relevance"}], notes=notes)
    assert (informed.goal, informed.items_with_notes) == ("cure it", 1)
    assert [(each.name, each.weight) for each in informed.rubric] == [("relevance", 1.0)]
    for add in (
        lambda said: admin.tournaments.inform(POOL, reviews=said),
        lambda said: admin.tournaments.add_reviews(POOL, said),
    ):
        with pytest.raises(NotFound, match="no item 'i11' in tournament-1; did you mean i1"):
            add([{"item": "i2", "reviewer": "r", "score": 0.5}, {"item": "i11", "reviewer": "r", "score": 0.5}])
    assert list(admin.tournaments.reviews(POOL)) == [], "all of them or none"
    said = [
        {"item": item, "reviewer": "ann", "score": 0.5, "scores": {"impact": 0.2}, "text": "So."}
        for item in ("i3", "i2")
    ]
    assert [review.item for review in admin.tournaments.add_reviews(POOL, said)] == ["i3", "i2"]
    assert admin.tournaments.add_reviews(POOL, said) == []
    assert [(review.item, review.text) for review in admin.tournaments.reviews(POOL)] == [("i2", "So."), ("i3", "So.")]
    assert [review.scores for review in admin.tournaments.reviews(POOL, "i3")] == [{"impact": 0.2}]
    with pytest.raises(NotFound, match="no item 'i33'"):
        list(admin.tournaments.reviews(POOL, "i33"))
    assert admin.tournaments.judge_list() == []
    with pytest.raises(InvalidConfig, match="no judge of this server is called 'fast'; it has none"):
        admin.tournaments.create("ideas", {"a": "one", "b": "two"}, "fast", criteria="worth", budget=2)
    task = admin.tasks.submit(POOL, "t/1", "GlobalRanking")
    assert [task] == list(admin.tasks.list(POOL)) == [admin.tasks.get(POOL, "t/1")]
    later = admin.tasks.submit(POOL, "t/2", "TournamentRound", after=["t/1"])
    assert (later.after, later.waits_for, later.waiting) == (["t/1"], ["t/1"], "after t/1 (queued)")
    assert admin.tasks.prioritize(POOL, "t/2", 7).priority == 7
    assert admin.tasks.pause(POOL, "t/2", "not yet").state == "paused"
    assert admin.tasks.resume(POOL, "t/2").state == "queued"
    assert admin.tasks.cancel(POOL, "t/2", "no budget").error == "no budget"
    with pytest.raises(Conflict, match="is cancelled"):
        admin.tasks.resume(POOL, "t/2")
    with pytest.raises(InvalidConfig, match="after itself"):
        admin.tasks.submit(POOL, "t/3", "TournamentRound", after=["t/3"])
    assert admin.tasks.pause_queue(POOL, "a person looks").reason == "a person looks"
    assert admin.tasks.queue(POOL).paused
    assert not admin.tasks.resume_queue(POOL).paused
    assert not admin.workers().workers
    assert admin.tournaments.incomplete(POOL) == []
    with pytest.raises(NotFound, match="no hypothesis of"):
        admin.tournaments.amend(POOL, "nobody", "a text")
    first, *_ = (item.id for item in admin.pools.items(POOL))
    assert admin.tournaments.retire(POOL, [first], "withdrawn") == [first]
    assert admin.tournaments.readmit(POOL, [first]) == []
    assert "run" in admin.tournaments.live(POOL).acts
    told = admin.tournaments.forecast(POOL, budget=40)
    for act in (admin.tournaments.pause, admin.tournaments.stop):
        with pytest.raises(Conflict, match="nobody is running"):
            act(POOL)
    with pytest.raises(Conflict, match="is over"):
        admin.tournaments.resume(POOL, "no")
    with pytest.raises(Conflict, match="nothing was spent"):
        admin.tournaments.run(POOL, "not " + told.confirm, budget=40)


def asked(url: str, token: str) -> dict[tuple[str, str], float]:
    """How often each route was asked for, by method and template."""
    request = urllib.request.Request(f"{url}/metrics", headers={"authorization": f"Bearer {token}"})
    text = urllib.request.urlopen(request, timeout=30).read().decode()
    found: Counter[tuple[str, str]] = Counter()
    for family in text_string_to_metric_families(text):
        for sample in family.samples if family.name == "paragone_requests" else ():
            found[sample.labels["method"].lower(), sample.labels["route"]] += sample.value
    return found


@contextmanager
def lossy(url: str, losses: int) -> Iterator[str]:
    """A way to a server on which the first answers get lost, after the server has done what was asked."""
    where = urlsplit(url)
    lost: list[bytes] = []

    class Passing(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection((where.hostname, where.port), timeout=30) as server:
                server.sendall(self._asked().replace(b"keep-alive", b"close"))
                answer = b"".join(iter(lambda: server.recv(65_536), b""))
            if len(lost) < losses:
                lost.append(answer)
            else:
                self.request.sendall(answer)

        def _asked(self) -> bytes:
            head = b""
            while b"\r\n\r\n" not in head:
                head += self.request.recv(65_536)
            start, _, body = head.partition(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", start, re.IGNORECASE)
            while length and len(body) < int(length[1]):
                body += self.request.recv(65_536)
            return start + b"\r\n\r\n" + body

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Passing) as passing:
        passing.daemon_threads = True
        thread = threading.Thread(target=passing.serve_forever, kwargs={"poll_interval": 0.002})
        thread.start()
        yield f"http://127.0.0.1:{passing.server_address[1]}"
        passing.shutdown()
        thread.join()
    assert len(lost) == losses


@contextmanager
def without_pauses(url: str, token: str) -> Iterator[Client]:
    """A client that sends again at once."""
    with Client(url, token) as client:
        client._connection._sleep = lambda _: None
        yield client


def test_what_is_sent_again_after_its_answer_was_lost_counts_once(
    admin: Client, home: tuple[str, dict[Role, str]]
) -> None:
    url, tokens = home
    before = {pool.id for pool in admin.pools.list()}
    with lossy(url, 1) as way, without_pauses(way, tokens[Role.ADMIN]) as client:
        pool = client.pools.create("lost", "better", ["one", "two", "three"]).id
    assert {pool.id for pool in admin.pools.list()} - before == {pool}
    with lossy(url, 2) as way, without_pauses(way, tokens[Role.ADMIN]) as client:
        assert client.matches.record(pool, "once", "one", "two", outcome="a").id == "once"
    offer = admin.votes.next(pool).pair
    assert offer is not None
    with lossy(url, 1) as way, without_pauses(way, tokens[Role.ADMIN]) as client:
        assert client.votes.cast(pool, offer.offer, "tie").progress.yours == 1
    assert admin.pools.get(pool).matches == 2
    assert admin.audit(pool).ok


def test_exports_are_files(admin: Client) -> None:
    text = b"".join(admin.pools.export(POOL, "items")).decode()
    assert text.splitlines()[:2] == ["id,text,kind", "i0,text 0,text"]
    with pytest.raises(NotFound):
        next(admin.pools.export("nowhere", "items"))


NOTE = """
import sys
from paragone.ledger import Ledger
with Ledger.open(sys.argv[1]) as ledger:
    ledger.tournaments.add_event(sys.argv[2], "noted", {})
    print(ledger.pools.versions()[sys.argv[2]])
"""


def test_events_of_writes_by_another_process(admin: Client, ledger: Path) -> None:
    told: Iterator[Event] = admin.events(POOL)
    first = next(told)
    assert not first.moved
    now = int(subprocess.check_output([warm_start.python(), "-c", NOTE, ledger, POOL]))
    heard = next(told)
    assert (heard.pool, heard.version, heard.moved, heard.id) == (POOL, now, True, now)
    assert next(admin.events(POOL, last=first.id)).moved, "who comes back hears at once"
    assert not next(admin.events(POOL, last=heard.id)).moved
    assert next(admin.events()).pool is None
    with pytest.raises(NotFound):
        next(admin.events("nowhere"))


def test_refusals_are_errors_of_paragone(admin: Client, home: tuple[str, dict[Role, str]], monkeypatch: Any) -> None:
    url, tokens = home
    with pytest.raises(NotFound, match="there is no pool 'nowhere'"):
        admin.pools.get("nowhere")
    with pytest.raises(InvalidConfig, match="limit"):
        admin.pools.board(POOL, limit=0)
    monkeypatch.delenv("PARAGONE_TOKEN", raising=False)
    with Client(url) as nobody, pytest.raises(Refused, match="requires a token"):
        nobody.pools.get(POOL)
    with Client(url, "pgn_mistyped") as stranger, pytest.raises(Refused, match="has no such token"):
        stranger.pools.get(POOL)
    monkeypatch.setenv("PARAGONE_TOKEN", tokens[Role.READ])
    with Client(url) as reader:
        assert reader.pools.get(POOL).id == POOL
        with pytest.raises(Refused, match="admin"):
            reader.matches.roll_back(POOL, "x", "why not")
    with pytest.raises(InvalidConfig, match="not the address"):
        Client("localhost:8321")


def test_a_server_that_is_away_is_tried_again_and_named() -> None:
    waited: list[float] = []
    url = f"http://127.0.0.1:{free_port()}"
    at = Connection(url, "", timeout=5, attempts=3, sleep=waited.append)
    with pytest.raises(ServerFailed, match=url):
        at.get(Pool, "/pools/a")
    assert waited == [0.2, 0.4]


def test_a_busy_server_is_asked_again_where_that_is_harmless(endpoint: Any) -> None:
    said = {"added": ["a"]}
    endpoint.says({"detail": "busy"}, 503, retry_after="3").says({"detail": "busy"}, 503).says(said)
    waited: list[float] = []
    at = Connection(endpoint.url, "", timeout=5, attempts=3, sleep=waited.append)
    assert at.post(AddedItems, "/items", {}) == AddedItems(added=["a"])
    assert waited == [3.0, 0.4]
    endpoint.script[:] = []
    endpoint.says({"detail": "the ledger is busy"}, 503).says(said)
    with pytest.raises(Busy, match="the ledger is busy"):
        at.post(AddedItems, "/items", {}, again=False)
    endpoint.script[:] = []
    endpoint.says({"aded": []})
    with pytest.raises(ServerFailed, match="another version: added"):
        at.post(AddedItems, "/items", {})


def test_lines_become_events() -> None:
    stream = """retry: 2000

event: now
id: 3
data: {"pool": null, "version": 3}

:

event: moved
id: 9
data: {"pool": "a\\nb", "version": 4}

event: moved
id: 10
"""
    lines = stream.splitlines()
    assert list(events(iter(lines))) == [
        Event(pool=None, version=3, moved=False, id=3),
        Event(pool="a\nb", version=4, moved=True, id=9),
    ]


def test_threads_may_share_one(admin: Client) -> None:
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(admin.pools.get(POOL).items)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [8] * 4
