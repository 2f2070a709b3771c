"""Several people on a pair, guidelines, known pairs, and how far the people agree."""

import asyncio
import json
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from typer.testing import CliRunner

from paragone.cli.main import app
from paragone.domain import Choice, Goal, GoldPair, Item, RatingConfig, Usage, Verdict
from paragone.domain.voting_rules import VotingRules
from paragone.errors import InvalidConfig, NotFound
from paragone.ledger import Ledger
from paragone.tournaments.agreement import people_agreement, set_voting_rules, voting_rules
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.voting.pool_voting import PoolVoting
from paragone.web.voting.voters import PEOPLE

HOUR = 3600.0
NAMES = ("ann", "ben", "cyn", "dan")


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "votes.db") as opened:
        yield opened


@pytest.fixture
def pool(ledger):
    items = tuple(Item(id=f"i{number}", text=f"text {number}") for number in range(5))
    brief = settings_for(5, criteria="bigger", judge=PEOPLE, seed=1)
    return TournamentState.begin(ledger, "pool", brief, items, RatingConfig()).id


@pytest.fixture
def voting(ledger, pool):
    with ThreadPoolExecutor(max_workers=1) as executor:
        yield PoolVoting(ledger, pool, Goal(), executor, new_turn=lambda: 1)


def voted(voting, name, choose=lambda offer: Choice.FIRST if offer.first > offer.second else Choice.SECOND):
    offer = voting.offer(f"human:{name}", HOUR)
    if offer is not None:
        voting.answer(offer, Verdict(choice=choose(offer), judge=offer.judge, usage=Usage(calls=1)))
    return offer


def judged(ledger, pool):
    """Who judged each pair, and in which orders it was shown."""
    people, orders = defaultdict(list), Counter()
    for vote in ledger.matches.single_answers(pool, ("human:",), 0)[0]:
        people[frozenset((vote.first, vote.second))].append(vote.judge)
        orders[vote.first, vote.second] += 1
    return people, orders


def test_a_pair_is_given_until_so_many_people_have_judged_it(ledger, pool, voting):
    set_voting_rules(ledger, pool, VotingRules(overlap=2))
    for name in ("ann", "ben"):
        for _ in range(3):
            voted(voting, name)
    people, orders = judged(ledger, pool)
    assert sorted(map(sorted, people.values())) == [["human:ann", "human:ben"]] * 3
    assert set(orders.values()) == {1}, "in either order once"
    for _ in range(20):
        for name in NAMES:
            voted(voting, name)
    people, _ = judged(ledger, pool)
    assert len(people) == 10, "every pair of five items"
    assert all(len(set(names)) == len(names) == 2 for names in people.values())


def test_skips_and_votes_taken_back_are_nobodys_judgement(ledger, pool, voting):
    set_voting_rules(ledger, pool, VotingRules(overlap=2))
    offer = voted(voting, "ann")
    pair = {offer.first, offer.second}
    skipped = voted(voting, "ben", lambda _: Choice.ABSTAIN)
    assert {skipped.first, skipped.second} == pair
    voted(voting, "cyn")
    assert sorted(judged(ledger, pool)[0][frozenset(pair)]) == ["human:ann", "human:ben", "human:cyn"]
    assert {*pair} != {(last := voted(voting, "dan")).first, last.second}, "two have judged it"
    again = voting.undo("human:cyn", voting.last("human:cyn"), HOUR)
    assert {again.first, again.second} == pair
    voting.answer(again, Verdict(choice=Choice.TIE, judge=again.judge, usage=Usage(calls=1)))


def test_with_one_person_a_pair_all_is_as_it_was(ledger, pool, tmp_path):
    def course(rules):
        with Ledger.open(tmp_path / f"{rules is None}.db") as own, ThreadPoolExecutor(max_workers=1) as executor:
            items = tuple(Item(id=f"i{number}", text=f"text {number}") for number in range(5))
            brief = settings_for(5, criteria="bigger", judge=PEOPLE, seed=1)
            id = TournamentState.begin(own, "pool", brief, items, RatingConfig()).id
            if rules is not None:
                set_voting_rules(own, id, rules)
            its = PoolVoting(own, id, Goal(), executor, new_turn=lambda: 1)
            offers = [voted(its, name) for _ in range(4) for name in NAMES[:2]]
            return [(offer.first, offer.second) for offer in offers]

    assert course(None) == course(VotingRules(guidelines="Be fair."))


def test_known_pairs_are_mixed_in_for_everybody(ledger, pool, voting):
    known = (GoldPair(better="i4", worse="i0"), GoldPair(better="i3", worse="i1"))
    set_voting_rules(ledger, pool, VotingRules(known=known, known_share=0.5))
    pairs = {frozenset((pair.better, pair.worse)) for pair in known}
    for name in NAMES[:2]:
        seen = [frozenset((offer.first, offer.second)) for _ in range(4) if (offer := voted(voting, name))]
        assert pairs <= set(seen)
    voted(voting, "cyn", lambda offer: Choice.SECOND if offer.first > offer.second else Choice.FIRST)
    result = people_agreement(ledger, pool)
    fared = {person.person: (person.known.right, person.known.decided) for person in result.people}
    assert fared == {"ann": (2, 2), "ben": (2, 2), "cyn": (0, 1)}
    assert result.people[0].known.low is not None


def test_agreement_is_of_the_answers_that_stand(ledger, pool, voting):
    set_voting_rules(ledger, pool, VotingRules(overlap=4))
    contrary = lambda offer: Choice.FIRST if offer.first < offer.second else Choice.SECOND
    for _ in range(10):
        for name in NAMES:
            voted(voting, name, contrary) if name == "dan" else voted(voting, name)
    result = people_agreement(ledger, pool)
    assert (result.pairs, result.answers, len(result.people)) == (10, 40, 4)
    assert (result.people[0].person, result.people[0].disagrees) == ("dan", True)
    assert [person.disagrees for person in result.people[1:]] == [False] * 3
    # By hand: 3 of 4 agree on each pair, so 3 of 6 pairs of people do; chance, by either order, gives 1 of 2.
    assert result.alpha.value == pytest.approx(1 - (39 / 40) * (1 / 2) / (1 / 2), abs=1e-6)
    assert result.people[0].agreement.value == 0.0
    assert result.people[0].without == 1.0
    assert result.people[1].agreement.value == pytest.approx(2 / 3, abs=1e-6)
    voting.undo("human:dan", voting.last("human:dan"), HOUR)
    assert people_agreement(ledger, pool).answers == 39


def test_rules_are_checked_and_on_record(ledger, pool):
    assert voting_rules(ledger, pool) == VotingRules()
    for wrong in (
        {"overlap": 0},
        {"known_share": 0.0},
        {"guidelines": "x" * 20_001},
        {"known": (GoldPair(better="a", worse="a"),)},
        {"known": (GoldPair(better="a", worse="b"), GoldPair(better="b", worse="a"))},
    ):
        with pytest.raises(InvalidConfig):
            VotingRules(**wrong)
    with pytest.raises(NotFound, match="did you mean i4"):
        set_voting_rules(ledger, pool, VotingRules(known=(GoldPair(better="i44", worse="i0"),)))
    rules = VotingRules(overlap=3, guidelines="Be fair.", known=(GoldPair(better="i4", worse="i0"),))
    for _ in range(2):
        assert set_voting_rules(ledger, pool, rules, "ada") == voting_rules(ledger, pool) == rules
    (event,) = [event for event in ledger.tournaments.events(pool) if event.kind == "voting"]
    assert event.detail == {"by": "ada", "rules": rules.as_json()}


def test_at_the_terminal(ledger, pool, voting, tmp_path):
    (tmp_path / "known.csv").write_text("winner,loser\ni4,i0\n")
    (tmp_path / "guide.txt").write_text("Prefer the bigger.\n")
    db = ("--db", str(tmp_path / "votes.db"))

    def ran(*words):
        done = CliRunner().invoke(app, ["people", *words, *db])
        assert done.exit_code == 0, done.output
        return done.output

    files = ("--known", str(tmp_path / "known.csv"), "--guidelines", str(tmp_path / "guide.txt"))
    rules = json.loads(ran("rules", pool, "--overlap", "2", *files, "--json"))
    assert rules == {"overlap": 2, "guidelines": "Prefer the bigger.", "known": [["i4", "i0"]], "known_share": 0.1}
    assert "2 people judge a pair" in ran("rules", pool)
    for name in NAMES[:2]:
        for _ in range(6):
            voted(voting, name)
    assert "Krippendorff's alpha 1.00" in ran("agreement", pool)
    assert json.loads(ran("agreement", pool, "--json"))["people"][0]["agreement"]["value"] == 1.0


def test_over_http_and_on_its_page(played, tmp_path, client_of):
    file = TokenFile(tmp_path / "tokens.json")
    voter, admin = (
        {"authorization": f"Bearer {file.add(name, role)}"} for name, role in (("v", Role.VOTE), ("a", Role.ADMIN))
    )
    client = client_of(WebConfig(db=str(played), tokens=file.path, secret=b"s" * 32))
    url = "/api/v1/pools/tournament-1"
    body = {"overlap": 2, "guidelines": "<b>Be</b> fair.", "known": [{"better": "i7", "worse": "i0"}]}
    assert client.post(f"{url}/voting", json=body, headers=voter).status_code == 403
    assert client.post(f"{url}/voting", json=body, headers=admin).json()["known"] == body["known"]
    assert client.get(f"{url}/voting", headers=voter).json()["known"] == [], "the answers are for admins"
    assert client.post(f"{url}/voting", json={"overlap": 3}, headers=admin).json()["guidelines"] == body["guidelines"]
    assert client.post(f"{url}/voting", json={"overlap": 0}, headers=admin).status_code == 422
    ballot = client.get(f"{url}/votes/next", headers=voter).json()
    assert ballot["guidelines"] == body["guidelines"]
    page = client.get("/pools/tournament-1/vote", headers=voter).text
    assert "&lt;b&gt;Be&lt;/b&gt; fair." in page
    client.post(f"{url}/votes", json={"offer": ballot["pair"]["offer"], "choice": "first"}, headers=voter)
    result = client.get(f"{url}/agreement", headers=voter).json()
    assert (result["people"][0]["person"], result["pairs"], result["alpha"]["value"]) == ("v", 0, None)
    seen = {
        name: client.get("/pools/tournament-1/agreement", headers=who).text
        for name, who in (("v", voter), ("a", admin))
    }
    assert "No pair was judged by two people yet" in seen["v"]
    assert ("i7" in seen["v"], "i7,i0" in seen["a"]) == (False, True)
    form = {"overlap": "4", "known_share": "0.2", "guidelines": "", "known": '"i6", i1\n\n'}
    sent = client.post("/pools/tournament-1/agreement", data=form, headers=admin, follow_redirects=False)
    assert sent.status_code == 303
    rules = client.get(f"{url}/voting", headers=admin).json()
    assert rules == {"overlap": 4, "guidelines": "", "known": [{"better": "i6", "worse": "i1"}], "known_share": 0.2}
    for wrong in ({"known": "i6"}, {"known": "i6,none"}, {"overlap": "x"}):
        refused = client.post("/pools/tournament-1/agreement", data={**form, **wrong}, headers=admin)
        assert refused.status_code == 422, wrong


def test_the_event_loop_gives_the_pairs_that_threads_give(ledger, pool, voting):
    set_voting_rules(ledger, pool, VotingRules(overlap=2))
    offer = voted(voting, "ann")
    first = voting.offer("human:ben", HOUR)
    assert {first.first, first.second} == {offer.first, offer.second}
    verdict = Verdict(choice=Choice.TIE, judge=first.judge, usage=Usage(calls=1))
    _, following = asyncio.run(voting.vote(first, verdict, HOUR))
    assert {following.first, following.second} != {offer.first, offer.second}
