"""People: invited by links, with a quota, shut out at once, and all of it on record without a secret."""

import re
import shutil
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Item, ItemKind, RatingConfig
from paragone.errors import Conflict, InvalidConfig, NotFound, Refused, Unwritable
from paragone.ledger import Ledger
from paragone.tournaments.journal import notes
from paragone.web import people as people_module
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import TokenFile
from paragone.web.middleware.limits import Rate
from paragone.web.middleware.roles import Access, Caller, Invitation, Person, Role
from paragone.web.pages.join import ATTEMPTS
from paragone.web.people import EVENT, InvitationTerms, People
from paragone.wire.people import PersonGrant

POOL = "tournament-1"
SECRET = b"s" * 32
HOST = "board.example.org"
ADDRESS = f"http://{HOST}"
OWN = {"origin": ADDRESS, "sec-fetch-site": "same-origin", "accept": "text/html"}


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(played):
    with Ledger.open(str(played)) as opened:
        yield opened


@pytest.fixture
def people(ledger, tmp_path, clock):
    return People(TokenFile(tmp_path / "tokens.json"), ledger, SECRET, clock=clock)


def terms(**more):
    return InvitationTerms(**{"role": Role.VOTE, "address": ADDRESS, **more})


def token_of(people, invitation):
    return people.link(invitation).partition("invite=")[2]


def events(ledger):
    return [event.detail for event in ledger.tournaments.events(POOL) if event.kind == EVENT]


def test_a_link_lets_in_as_many_as_it_says_and_each_act_is_on_record(people, ledger, clock):
    invitation = people.invite(POOL, terms(uses=2, a_day=5), "ada")
    token = token_of(people, invitation)
    ann, ben = (people.join(token, HOST, name) for name in ("ann", "ben"))
    assert ann.grants == (PersonGrant(pool=POOL, role="vote", a_day=5, invitation=invitation.id),)
    assert ann.key != ben.key
    with pytest.raises(Refused, match="used as often"):
        people.join(token, HOST, "cyn")
    clock.now += 60
    people.set_quota("ann", POOL, 9, "ada")
    people.set_quota("ann", POOL, 9, "ada")
    people.revoke("ann", "ada", "left")
    people.revoke("ann", "ada", "again")
    people.take_back(invitation.id, "ada")
    people.take_back(invitation.id, "ada")
    assert [event["act"] for event in events(ledger)] == ["invite", "join", "join", "quota", "revoke", "take back"]
    assert events(ledger)[1] == {"act": "join", "person": "ann", "invitation": invitation.id, "role": "vote"}
    assert events(ledger)[4] == {"act": "revoke", "by": "ada", "person": "ann", "reason": "left"}
    stored = str(events(ledger))
    for secret in (token, token.partition(".")[2], ann.key, ben.key):
        assert secret not in stored
    assert token.partition(".")[2] not in people._file.path.read_text()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda token: token[:-1] + ("0" if token[-1] != "0" else "1"), "altered"),
        (lambda token: "0" * 16 + token[16:], "altered"),
        (lambda token: "", "altered"),
        (lambda token: token + "\ud800", "altered"),
        (lambda token: token.partition(".")[0], "altered"),
    ],
)
def test_an_altered_link_is_refused(people, change, words):
    token = token_of(people, people.invite(POOL, terms(), "ada"))
    assert people.opened(token, HOST).pool == POOL
    with pytest.raises(Refused, match=words):
        people.join(change(token), HOST, "ann")
    assert people.access().people == {}


def test_a_link_ends_is_taken_back_and_is_for_one_address_and_secret(people, clock, ledger):
    invitation = people.invite(POOL, terms(hours=1), "ada")
    token = token_of(people, invitation)
    for host in ("evil.example", f"{HOST}:8321", f"{HOST}.evil.example", ""):
        with pytest.raises(Refused, match="another address"):
            people.join(token, host, "ann")
    assert people.opened(token, HOST.upper() + ":80").id == invitation.id
    other = People(people._file, ledger, b"t" * 32, clock=clock)
    with pytest.raises(Refused, match="altered"):
        other.join(token, HOST, "ann")
    clock.now += 3601
    assert people.state(invitation) == "ended"
    with pytest.raises(Refused, match="expired"):
        people.join(token, HOST, "ann")
    clock.now -= 3601
    people.take_back(invitation.id, "ada")
    with pytest.raises(Refused, match="taken back"):
        people.join(token, HOST, "ann")


def test_whoever_widens_an_invitation_in_the_file_makes_its_link_worthless(people):
    invitation = people.invite(POOL, terms(role=Role.READ), "ada")
    token, path = token_of(people, invitation), people._file.path
    path.write_text(path.read_text().replace('"role": "read"', '"role": "judge"'))
    with pytest.raises(Refused, match="altered"):
        people.join(token, HOST, "ann")


@pytest.mark.parametrize("name", ["Ann", "ann ", "ａnn", "ANN", "local", "root"])
def test_a_name_is_nobody_elses_for_good(people, name):
    people._file.add("root", Role.ADMIN)
    token = token_of(people, people.invite(POOL, terms(uses=9), "ada"))
    people.join(token, HOST, "ann")
    people.revoke("ann", "ada")
    with pytest.raises((Conflict, ValueError)):
        people.join(token, HOST, name)
    with pytest.raises(Conflict, match="person named 'ann'"):
        people._file.add("ann", Role.READ)


def test_somebody_who_is_in_gets_another_pool_by_a_link_and_uses_none_twice(people, ledger):
    other = ledger.tournaments.create(
        "second", settings=ledger.tournaments.get(POOL).settings, items=[], config=ledger.pools.config(POOL)
    ).id
    first, second = (people.invite(pool, terms(), "ada") for pool in (POOL, other))
    ann = people.join(token_of(people, first), HOST, "ann").caller
    again = people.join(token_of(people, first), HOST, "", ann)
    assert again.name == "ann", "the link is used up, and it is hers"
    both = people.join(token_of(people, second), HOST, "ignored", ann)
    assert [grant.pool for grant in both.grants] == [POOL, other]
    assert both.key == again.key
    assert [people.access().invitations[each.id].used for each in (first, second)] == [1, 1]


def test_what_cannot_be_is_refused(people):
    for wrong in ({"role": Role.ADMIN}, {"uses": 0}, {"hours": 0}, {"hours": 10**6}, {"a_day": 0}, {"address": "x"}):
        with pytest.raises(InvalidConfig):
            terms(**wrong)
    with pytest.raises(NotFound):
        people.invite("none", terms(), "ada")
    assert people.access() == Access()
    for act in (lambda: people.revoke("x", "ada"), lambda: people.take_back("x", "ada")):
        with pytest.raises(NotFound):
            act()
    people._file.add("root", Role.ADMIN)
    with pytest.raises(NotFound, match="paragone token revoke"):
        people.revoke("root", "ada")


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)


@given(st.lists(st.tuples(NAMES, st.sampled_from(Role), st.none() | st.integers(1, 9)), max_size=4), st.floats(0, 2e9))
def test_the_file_gives_back_what_it_was_given(rows, at):
    grants = tuple(PersonGrant(pool=name, role=role.word, a_day=a_day) for name, role, a_day in rows)
    person = Person(name="p", key="k", joined=at, grants=grants, role=rows[0][1] if rows else None, revoked=at)
    invitation = Invitation(id="i", pool="x", role=Role.VOTE, address=ADDRESS, until=at, uses=3, used=1)
    access = Access(
        tokens={"h": Caller(name="t", role=Role.READ, key="h")},
        people={"p": person},
        invitations={"i": invitation},
    )
    assert Access.of(access.as_json()) == access


# Over HTTP


@pytest.fixture
def board(played, tmp_path, client_of):
    """A client of a server, the headers of an admin, and its file of tokens."""
    file = TokenFile(tmp_path / "tokens.json")
    admin = {"authorization": f"Bearer {file.add('ada', Role.ADMIN)}"}
    client = client_of(WebConfig(db=str(played), hosts=(HOST,), tokens=file.path, secret=SECRET))
    client.base_url = ADDRESS
    return client, admin, file


def invited(client, admin, **more):
    made = client.post("/api/v1/people/invitations", json={"pool": POOL, **more}, headers=admin)
    assert made.status_code == 201, made.text
    return made.json()


def joined(client, link, name, **headers):
    token = link.partition("invite=")[2]
    answer = client.post(
        "/join", data={"invite": token, "name": name}, headers={**OWN, **headers}, follow_redirects=False
    )
    cookie = answer.headers.get("set-cookie", "").partition(";")[0]
    client.cookies.clear()
    return answer, {"cookie": cookie, **OWN}


def csrf_in(client, headers, path="/login"):
    return re.search('name="csrf" (?:content|value)="([0-9a-f]{64})"', client.get(path, headers=headers).text)[1]


def test_from_link_to_vote_to_shut_out_without_a_terminal(board):
    client, admin, file = board
    invitation = invited(client, admin, a_day=2)
    assert invitation["link"].startswith(f"{ADDRESS}/join?invite={invitation['id']}.")
    page = client.get(invitation["link"], headers=OWN)
    assert (page.status_code, file.read().people) == (200, {}), "looking, as a preview of a link does, uses nothing"
    assert "You are invited" in page.text
    answer, ann = joined(client, invitation["link"], "ann")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/pools/{POOL}/vote")
    assert {"httponly", "samesite=strict"} <= set(answer.headers["set-cookie"].lower().replace(" ", "").split(";"))
    ann["x-csrf-token"] = csrf_in(client, ann)
    votes = f"/api/v1/pools/{POOL}/votes"
    for left in (1, 0):
        offer = client.get(f"{votes}/next", headers=ann).json()["pair"]["offer"]
        cast = client.post(votes, json={"offer": offer, "choice": "first"}, headers=ann)
        assert cast.status_code == 201, (left, cast.text)
        assert cast.json()["voter"] == "ann"
    following = client.get(f"{votes}/next", headers=ann).json()["pair"]["offer"]
    refused = client.post(votes, json={"offer": following, "choice": "first"}, headers=ann)
    assert refused.status_code == 429
    assert "2 answers in 24 hours" in refused.json()["detail"]
    assert 86_000 < int(refused.headers["retry-after"]) <= 86_400
    assert client.post(votes, json={"offer": offer, "choice": "first"}, headers=ann).status_code == 200, "as before"
    changed = client.post("/api/v1/people/ann/quota", json={"pool": POOL}, headers=admin)
    assert changed.json()["grants"][0]["a_day"] is None
    assert client.post(votes, json={"offer": following, "choice": "tie"}, headers=ann).status_code == 201
    listing = client.get("/api/v1/people", headers=admin).json()
    (person,) = [each for each in listing["people"] if each["kind"] == "invited"]
    assert person["seen"] is not None
    assert listing["invitations"][0]["state"] == "used up"
    assert listing["invitations"][0]["link"] == ""
    assert client.post("/api/v1/people/ann/revoke", json={"reason": "left"}, headers=admin).status_code == 200
    assert client.get(f"{votes}/next", headers=ann).status_code == 401
    assert joined(client, invitation["link"], "ann two")[0].status_code == 403


def test_somebody_invited_to_agents_reads_their_pages_and_no_other(board, played):
    client, admin, _ = board
    with Ledger.open(str(played)) as ledger:
        for pool in ("agents", "others"):
            ledger.pools.create(pool, RatingConfig(), kind=ItemKind.AGENT)
            ledger.items.add(pool, [Item(id=f"{pool}-1", text="", kind=ItemKind.AGENT)])
    made = client.post(
        "/people", data={"act": "invite", "pool": "agents", "role": "judge", "uses": "1"}, headers={**admin, **OWN}
    )
    assert (made.status_code, "The invitation is ready" in made.text) == (200, True), made.text
    link = client.get("/api/v1/people", headers=admin).json()["invitations"][0]["link"]
    answer, ann = joined(client, link, "ann")
    assert answer.headers["location"] == "/agents"
    page = client.get("/agents", headers=ann)
    assert (page.status_code, "agents-1" in page.text, "others" in page.text) == (200, True, False)
    for path in ("/api/v1/agents", "/agents/agents-1", "/api/v1/agents/agents-1?pool=agents", "/pools/agents"):
        assert client.get(path, headers=ann).status_code == 200, path
    for path in ("/agents?pool=others", "/agents/others-1?pool=others", "/api/v1/agents?pool=others", "/pools/others"):
        assert client.get(path, headers=ann).status_code == 403, path
    refused = client.get("/agents?pool=others", headers={**ann, "accept": "text/html"}).text
    assert ("<bdi>ann</bdi>" in refused, ">Memory</a>" in refused) == (True, False), "the head is that of her pages"
    ann["x-csrf-token"] = csrf_in(client, ann)
    debate = {"pool": "agents", "scores": {"a": 1, "b": 0}}
    assert client.post("/api/v1/agents/debates?pool=agents", json=debate, headers=ann).status_code == 403
    renamed = client.post("/api/v1/pools/agents/title", json={"title": "Debaters"}, headers=admin)
    assert renamed.json()["title"] == "Debaters"
    assert "Agents: <bdi>Debaters</bdi>" in client.get("/agents", headers=ann).text
    assert client.post("/api/v1/pools/agents/state", json={"state": "archived"}, headers=admin).status_code == 200
    assert [each["id"] for each in client.get("/api/v1/pools", headers=admin).json()["pools"]] == ["others", POOL]
    shown = client.get("/pools/agents/change", headers={**admin, "accept": "text/html"}).text
    assert ("Show it again" in shown, 'name="confirm"' in shown) == (True, False)
    with Ledger.open(str(played)) as ledger:
        acts = [event.detail["act"] for event in notes(ledger, EVENT)]
        assert acts == ["join", "invite"]
        assert ledger.audit().ok


def test_sign_ins_are_on_record_once_an_hour_without_a_secret(board, people, ledger, clock, monkeypatch):
    client, admin, file = board
    token = file.add("bob", Role.VOTE)
    for _ in range(3):
        client.post("/login", data={"token": token, "next": "/"}, headers=OWN, follow_redirects=False)
    client.cookies.clear()
    listing = client.get("/api/v1/people/sign-ins", headers=admin).json()
    assert [(each["person"], each["way"]) for each in listing["sign_ins"]] == [("bob", "token")]
    assert "by a token" in client.get("/people", headers={**admin, **OWN}).text
    assert people.note_sign_in("ann", "provider")
    clock.now += 3_599
    assert not people.note_sign_in("ann", "provider")
    clock.now += 2
    assert people.note_sign_in("ann", "provider")
    monkeypatch.setattr(people_module, "MOST_SIGN_INS", 3)
    assert [people.note_sign_in(f"p{number}", "token") for number in range(4)] == [True, True, False, False]
    assert [each.person for each in people.sign_ins()] == ["p1", "p0", "ann", "ann", "bob"]
    assert token not in repr(notes(ledger, EVENT))
    assert client.get("/api/v1/people/sign-ins", headers={"authorization": f"Bearer {token}"}).status_code == 403


def test_what_cannot_be_written_to_the_file_is_not_on_record_and_is_not_called_temporary(
    board, played, ledger, tmp_path, client_of
):
    """A name so long that no file can be written beside it, whoever writes."""
    _, admin, file = board
    path = tmp_path / f"{'t' * 240}.json"
    shutil.copy(file.path, path)
    path.chmod(0o600)
    client = client_of(WebConfig(db=str(played), hosts=(HOST,), tokens=path, secret=SECRET))
    client.base_url = ADDRESS
    refused = client.post("/api/v1/people/invitations", json={"pool": POOL}, headers=admin)
    assert refused.status_code == 500
    assert "the server cannot write its data until whoever runs it puts that right" in refused.json()["detail"]
    assert "retry-after" not in refused.headers
    assert events(ledger) == []
    with pytest.raises(Unwritable, match=r"cannot be written \(File name too long\).*let this user write it") as error:
        TokenFile(path).add("bob", Role.READ)
    assert not error.value.temporary


def test_an_invitation_that_cannot_be_recorded_is_not_made(people, ledger, monkeypatch):
    monkeypatch.setattr(ledger.tournaments, "add_event", lambda *_: Ledger.open(people._file.path.parent))
    with pytest.raises(Unwritable):
        people.invite(POOL, terms(), "ada")
    assert people.access().invitations == {}
    assert list(people._file.path.parent.glob(".tokens*")) == []


def test_links_used_from_elsewhere_altered_or_replayed_get_a_clear_page(board):
    client, admin, file = board
    link = invited(client, admin)["link"]
    foreign = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    assert joined(client, link, "eve", **foreign)[0].status_code == 403
    assert joined(client, link, "eve", origin="null")[0].status_code == 403
    assert client.get(link, headers={**OWN, "host": "evil.example"}).status_code == 421
    elsewhere = client.get(link, headers={**OWN, "host": "localhost", "origin": "http://localhost"})
    assert elsewhere.status_code == 403
    assert "this link is for http://board.example.org" in elsewhere.text
    other, _ = joined(client, link, "eve", host="localhost", origin="http://localhost")
    assert other.status_code == 403
    altered = client.get(link[:-1], headers=OWN)
    assert altered.status_code == 403
    assert "altered on its way" in altered.text
    assert file.read().people == {}
    assert joined(client, link, "ada")[0].status_code == 422
    assert joined(client, link, "ann")[0].status_code == 303
    replayed, _ = joined(client, link, "eve")
    assert replayed.status_code == 403
    assert "used as often" in replayed.text
    assert set(file.read().people) == {"ann"}


def test_whoever_tries_links_waits(board):
    client, *_ = board
    client.app.state.joins = Rate(ATTEMPTS, clock=lambda: 0.0)
    statuses = [client.get("/join?invite=x", headers=OWN).status_code for _ in range(ATTEMPTS + 1)]
    assert statuses == [403] * ATTEMPTS + [429]
    assert client.post("/join", data={"invite": "x"}, headers=OWN).status_code == 429


def test_the_page_does_what_rest_does(board):
    client, admin, file = board
    login = client.post(
        "/login", data={"token": admin["authorization"][7:]}, headers=OWN, follow_redirects=False
    ).headers["set-cookie"]
    client.cookies.clear()
    browser = {**OWN, "cookie": login.partition(";")[0]}
    csrf = csrf_in(client, browser)

    def sent(act, **fields):
        answer = client.post(
            "/people", data={"csrf": csrf, "act": act, **fields}, headers=browser, follow_redirects=False
        )
        return client.get(answer.headers["location"], headers=browser) if answer.status_code == 303 else answer

    assert client.post("/people", data={"act": "invite", "pool": POOL}, headers=browser).status_code == 403
    made = sent("invite", pool=POOL, role="vote", uses="3", days="0.5", a_day="4")
    assert made.status_code == 200, made.text
    link = re.search(r'readonly value="([^"]+)"', made.text)[1]
    assert "data:image/svg+xml" in made.text
    (invitation,) = file.read().invitations.values()
    assert (invitation.uses, invitation.a_day, invitation.by) == (3, 4, "ada")
    assert abs(invitation.until - time.time() - 43_200) < 120
    joined(client, link, "<b>ann</b>")
    assert "<b>ann" not in client.get("/people", headers=browser).text
    assert sent("quota", person="<b>ann</b>", pool=POOL, a_day="7").status_code == 200
    assert file.read().people["<b>ann</b>"].grants[0].a_day == 7
    assert sent("revoke", person="<b>ann</b>").status_code == 200
    assert sent("take back", invitation=invitation.id).status_code == 200
    for act, fields in (("invite", {"pool": "none"}), ("invite", {"pool": POOL, "uses": "x"}), ("no", {})):
        assert sent(act, **fields).status_code == 422
    assert file.read().people["<b>ann</b>"].revoked is not None
    assert file.read().invitations[invitation.id].revoked is not None


def test_without_tokens_there_is_nobody_to_invite(client):
    refused = client.get("/api/v1/people")
    assert refused.status_code == 422
    assert "--allow-host" in refused.json()["detail"]
