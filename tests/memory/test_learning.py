"""What searches and commits teach: settled searches, remembered queries, hostile histories; the store as the twin."""

import random
from dataclasses import replace

import pytest

from paragone.domain.content import Action, ContentKind
from paragone.memory.scores import Scores
from paragone.memory.scores.learned import PlainLearning
from paragone.memory.scores.learning import IDLE_SECONDS, learn
from paragone.memory.store import AccessLine, ResultRow, SearchLine, SessionLine, Store
from paragone.memory.store.config import LogConfig, MemoryConfig
from paragone.memory.store.lines import IndexLine
from paragone.ratings.usefulness import probability

FILE = ("file", "true.py")
BAIT = ("file", "bait.py")


class History:
    """Lines of a log, written as sessions of one search each."""

    def __init__(self):
        self.lines, self.number, self.time = [], 0, 1_700_000_000.0

    def search(self, session, query="kettle temperature", paths=("bait.py", "true.py", "plain.py"), agent="ann"):
        self.time += 60.0
        self.number += 1
        rows = tuple(ResultRow(file_path=path, rank=rank) for rank, path in enumerate(paths, 1))
        self._add(SearchLine(tool="keyword_search", query=query, results=rows, session_id=session, agent_id=agent))
        return self.lines[-1].id

    def act(self, action, path, session, search="", agent="ann"):
        self._add(
            AccessLine(action=action, entity_type=ContentKind.FILE, entity_id=path, file_path=path, search_id=search,
                       session_id=session, agent_id=agent)
        )  # fmt: skip

    def end(self, session, outcome="unknown", agent="ann"):
        times = {"start_time": self.time, "end_time": self.time}
        self._add(SessionLine(session_id=session, outcome=outcome, accesses_logged=True, agent_id=agent, **times))

    def session(self, read=(), used=(), wrong=(), query="kettle temperature", outcome="unknown", agent="ann"):
        name = f"s{self.number}"
        search = self.search(name, query, agent=agent)
        for action, paths in ((Action.READ, read), (Action.USED, used), (Action.CONTRADICTED, wrong)):
            for path in paths:
                self.act(action, path, name, search, agent)
        self.end(name, outcome, agent)

    def commit(self, query, read=(), renamed=(), removed=()):
        self.time += 3600.0
        self._add(
            SessionLine(start_time=self.time, end_time=self.time, files_accessed=tuple(read), renamed=tuple(renamed),
                        removed=tuple(removed), query=query, source="git", session_id=f"git{len(self.lines)}")
        )  # fmt: skip

    def _add(self, line):
        self.lines.append(replace(line, id=f"l{len(self.lines)}", seq=len(self.lines) + 1, timestamp=self.time))

    def learned(self):
        learning = PlainLearning()
        for line in self.lines:
            learn(line, learning)
        return learning

    def p(self, key):
        return probability(self.learned().feedback(key))


def test_a_read_alone_is_no_success_and_what_ended_a_search_is_better_than_what_did_not():
    history = History()
    for _ in range(10):
        history.session(read=["bait.py", "true.py"])  # bait is read first, and something is read after it
    assert history.p(BAIT) < 0.45 < history.p(FILE)
    assert not history.learned().feedback(FILE).is_known


def test_reports_count_at_once_and_openings_at_the_end_of_the_search():
    history = History()
    search = history.search("s")
    history.act(Action.READ, "bait.py", "s", search)
    assert history.p(BAIT) == 0.5
    history.act(Action.USED, "true.py", "s", search)
    assert history.p(FILE) == 2 / 3
    history.search("s")  # the next search of the session ends it
    assert history.p(BAIT) != 0.5


@pytest.mark.parametrize("end", ["session", "search", "time"])
def test_a_search_ends_with_its_session_the_next_search_or_an_hour_of_nothing(end):
    history = History()
    history.act(Action.READ, "true.py", "s", history.search("s"))
    if end == "session":
        history.end("s")
    elif end == "search":
        history.search("s")
    else:
        history.time += IDLE_SECONDS + 1.0
        history.search("another session", agent="bob")
    assert history.learned().feedback(FILE).helped > 0.0


def test_commands_are_sessions_of_one_act_and_belong_to_the_search_that_showed_the_file():
    history = History()
    search = history.search("c1")
    history.end("c1")
    for number, path in enumerate(("bait.py", "true.py"), 2):
        history.act(Action.READ, path, f"c{number}", search)
        history.end(f"c{number}")
    assert history.p(BAIT) == 0.5  # still open: the agent may read on
    history.search("c4")
    assert history.p(BAIT) < history.p(FILE) < 0.5  # a new agent is taken to report what it uses


def test_the_same_act_counts_once_a_session():
    once, often = History(), History()
    for history, times in ((once, 1), (often, 50)):
        search = history.search("s")
        for _ in range(times):
            history.act(Action.READ, "bait.py", "s", search)
            history.act(Action.USED, "bait.py", "s", search)
        history.end("s")
    assert once.learned().feedback(BAIT) == often.learned().feedback(BAIT)
    assert once.learned().pasts == often.learned().pasts


def test_what_was_wrong_is_no_part_of_a_success():
    history = History()
    history.session(read=["bait.py", "true.py"], wrong=["bait.py"], outcome="success")
    assert history.learned().feedback(BAIT).used == 0.0
    assert history.learned().feedback(FILE).used == 1.0
    assert list(history.learned().pasts) == ["true.py"]


def test_a_file_remembers_the_queries_that_it_answered_and_not_those_for_which_it_was_read():
    history = History()
    history.session(read=["bait.py"], used=["true.py"], query="kettle temperature kettle")
    history.commit("Fix the kettle", ["plain.py"])
    words = history.learned().words
    assert dict(words["true.py"]) == {"kettle": 1, "temperature": 1}
    assert dict(words["plain.py"]) == {"fix": 1, "kettle": 1}
    assert "bait.py" not in words


def test_uses_are_halved_every_so_many_sessions():
    history = History()
    history.commit("first", ["a.py"])
    for number in range(100):
        history.commit(f"other {number}", ["b.py"])
    learning = history.learned()
    near, middle, far = learning.pasts["a.py"].at(learning.learned.sessions)
    assert (near, middle, far) == pytest.approx((0.5 ** (100 / 15), 0.5, 0.5 ** (1 / 6)))


def test_a_renamed_file_keeps_what_it_taught_and_a_deleted_one_leaves_nothing():
    history = History()
    history.session(used=["true.py"])
    history.commit("move it", renamed=[("true.py", "lib/true.py")])
    learning = history.learned()
    assert learning.feedback(("file", "lib/true.py")).used == 1.0
    assert "kettle" in learning.words["lib/true.py"]
    assert learning.feedback(FILE).used == 0.0
    history.commit("drop it", removed=["lib/true.py"])
    assert history.learned().pasts == {}
    assert history.p(("file", "lib/true.py")) == 0.5


def honest(history, sessions=12):
    for _ in range(sessions):
        history.session(read=["bait.py", "true.py"], used=["true.py"])


def contradict(history):
    for _ in range(6):
        history.session(read=["bait.py", "true.py"], used=["true.py"], wrong=["bait.py"])


def pump_reads(history):
    honest(history)
    for _ in range(200):
        history.session(read=["bait.py"], agent="mallory")


def pump_in_one_session(history):
    honest(history)
    search = history.search("pump", agent="mallory")
    for _ in range(300):
        history.act(Action.USED, "bait.py", "pump", search, "mallory")


def mark_everything(history):
    honest(history)
    for _ in range(60):
        history.session(read=["bait.py", "plain.py", "true.py"], used=["bait.py", "plain.py", "true.py"], agent="all")


def succeed_always(history):
    for _ in range(30):
        history.session(read=["bait.py", "true.py"], outcome="success")


def touch_once(history):
    contradict(history)
    history.session(read=["bait.py"], used=["bait.py"], agent="mallory")


def fool_readers(history):
    for number in range(40):
        history.session(read=["bait.py", "true.py"] if number % 3 else ["bait.py"])


def false_reports(history):
    for number in range(60):
        history.session(read=["bait.py", "true.py"], used=["true.py", *(["bait.py"] if number % 5 == 0 else [])])


def jump_ahead(history):
    honest(history, 6)
    history.time += 400 * 86_400.0
    history.session(read=["bait.py"])
    history.time -= 800 * 86_400.0
    honest(history, 6)


def jump_back(history):
    for _ in range(12):
        history.time -= 86_400.0
        history.session(read=["bait.py", "true.py"], used=["true.py"])


def never_end(history):
    for number in range(300):
        search = history.search(f"open{number}")
        for path in ("bait.py", "true.py"):
            history.act(Action.READ, path, f"open{number}", search)
        history.act(Action.USED, "true.py", f"open{number}", search)


def claim_foreign_searches(history):
    honest(history)
    for number in range(100):
        history.act(Action.READ, "bait.py", f"x{number}", "no such search", "mallory")


def inject_sessions(history):
    honest(history)
    for number in range(50):
        times = {"start_time": history.time, "end_time": history.time}
        history._add(SessionLine(session_id=f"f{number}", files_accessed=("bait.py",), agent_id="x", **times))


def inject_huge_successes(history):
    honest(history)
    many = tuple(f"file{number}.py" for number in range(500))
    times = {"start_time": history.time, "end_time": history.time}
    history._add(SessionLine(session_id="huge", files_accessed=("bait.py", *many), outcome="success", **times))


def stuff_a_query(history):
    honest(history)
    history.session(read=["bait.py"], query=" ".join(f"word{number}" for number in range(2000)))


def read_last(history):
    honest(history)
    for _ in range(40):
        history.session(read=["true.py", "bait.py"], agent="mallory")


def switch_agents(history):
    honest(history)
    for number in range(100):
        history.session(read=["bait.py"], agent=f"sybil{number}")


def act_after_the_end(history):
    honest(history)
    search = history.search("over")
    history.end("over")
    history.search("next")
    for _ in range(50):
        history.act(Action.READ, "bait.py", "over", search)


def rename_bait(history):
    contradict(history)
    history._add(IndexLine(renamed=(("bait.py", "new.py"),)))
    history._add(IndexLine(renamed=(("new.py", "bait.py"),)))


def commit_bait(history):
    contradict(history)
    for number in range(20):
        history.commit(f"touch {number}", ["bait.py"])


def show_bait(history):
    honest(history)
    for number in range(300):
        history.search(f"look{number}", paths=("bait.py",) * 10)


HOSTILE = [
    contradict, pump_reads, pump_in_one_session, mark_everything, succeed_always, touch_once, fool_readers,
    false_reports, jump_ahead, jump_back, never_end, claim_foreign_searches, inject_sessions, inject_huge_successes,
    stuff_a_query, read_last, switch_agents, act_after_the_end, rename_bait, commit_bait, show_bait,
]  # fmt: skip


@pytest.mark.parametrize("attack", HOSTILE, ids=lambda attack: attack.__name__)
def test_a_hostile_history_leaves_the_truth_on_top(attack):
    history = History()
    attack(history)
    assert history.p(FILE) > history.p(BAIT)


def replayed(store):
    """What a store has learned, with everything that it remembers."""
    with Scores(store) as scores:
        scores.catch_up()
        connection = scores._database.connection
        tables = ("feedback", "feedback_query", "past", "past_word", "visit", "reporting", "learned", "episode")
        return {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in tables}


def mixed(seed):
    """A history of everything."""
    history, rng = History(), random.Random(seed)
    for attack in rng.sample(HOSTILE, 4):
        attack(history)
    history.commit("move the truth", ["plain.py"], renamed=[("true.py", "truth.py")])
    history.commit("merge", renamed=[("plain.py", "truth.py")], removed=["gone.py"])
    history.session(read=["truth.py", "bait.py"], used=["truth.py"])
    return history


@pytest.mark.parametrize("seed", range(3))
def test_the_store_learns_what_the_plain_ground_does_to_the_last_bit(tmp_path, seed):
    history, store = mixed(seed), Store.create(tmp_path)
    store.logs.append([replace(line, seq=0) for line in history.lines])
    plain = history.learned()
    with Scores(store) as scores:
        answers = scores.answers(["kettle", "temperature", "move"])
        learning = scores._counter.learning
        assert answers == plain.answers(["kettle", "temperature", "move"])
        assert learning.learned == plain.learned
        for key, feedback in plain.feedbacks.items():
            assert learning.feedback(key) == feedback
            assert learning._queries_of(key) == plain.queries.get(key, ())


def test_in_pieces_over_rotated_logs_twice_and_anew_it_is_the_same(tmp_path):
    lines = [replace(line, seq=0) for line in mixed(8).lines]
    stores = []
    for name, rotate in (("whole", 1 << 26), ("pieces", 4096)):
        (tmp_path / name).mkdir()
        stores.append(Store.create(tmp_path / name, config=MemoryConfig(logs=LogConfig(rotate_bytes=rotate))))
    stores[0].logs.append(lines)
    for start in range(0, len(lines), 37):
        stores[1].logs.append(lines[start : start + 37])
        stores[1].logs.append(lines[: start + 37 : 5])  # known lines change nothing
        if start % 4 == 0:
            replayed(stores[1])
    whole, pieces = map(replayed, stores)
    assert whole == pieces
    with Scores(stores[1]) as scores:
        assert scores.rebuild().same
    assert replayed(stores[1]) == whole
