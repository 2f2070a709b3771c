"""Git's history in the logs: what becomes of commits, and that learning again, in parts or after a break adds up."""

import shutil

import pytest

from paragone.domain.content import ContentKind
from paragone.memory.git_learning import GitLearning, learn_git
from paragone.memory.scores import Scores
from paragone.memory.store import SessionLine, Store

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
NOW = 1_800_000_000.0


@pytest.fixture
def store(repository):
    with Store.create(repository.root, clock=lambda: NOW) as made:
        yield made


def test_each_commit_is_a_session_that_read_what_it_changed(repository, store):
    repository.commit("Begin", a="a", b="b")
    sha = repository.commit("Change a", a="aa")

    found = learn_git(store)

    assert (found.commits, found.sessions, found.files) == (2, 2, 2 + 1)  # memory.toml is the store's own
    line = list(store.logs.after())[-1]
    assert isinstance(line, SessionLine)
    assert (line.id, line.session_id, line.source, line.query) == (f"git:{sha}", f"git:{sha}", "git", "Change a")
    assert line.files_accessed == ("a",)
    assert line.end_time == 1_700_007_200.0
    assert "ada" not in line.agent_id.casefold()


def test_learning_again_changes_nothing_and_later_commits_are_added(repository, store):
    repository.commit(a="a")
    learn_git(store)
    before = list(store.logs.after())

    again = learn_git(store)
    assert (again.commits, again.sessions) == (0, 0)
    assert list(store.logs.after()) == before

    repository.commit(a="aa")
    assert learn_git(store).sessions == 1
    assert learn_git(store, since=0.0) == GitLearning(commits=2, known=2, total=2)


def test_learning_in_parts_gives_the_same_scores_as_learning_at_once(repository, tmp_path):
    for number in range(7):
        repository.commit(a=str(number), **{f"f{number % 3}": str(number)})
    ratings = []
    for name, limits in (("whole", [None]), ("parts", [2, 2, 2, 2])):
        with Store.create(repository.root, store=tmp_path / name, clock=lambda: NOW) as store:
            for limit in limits:
                learn_git(store, limit=limit)
            with Scores(store) as scores:
                ratings.append({one.content.id: one for one in scores.rated(ContentKind.FILE)})

    assert ratings[0] == ratings[1]
    assert ratings[0]["a"].uses == 7
    assert ratings[0]["a"].elo > ratings[0]["f0"].elo > 1200.0


def test_what_was_read_before_a_break_is_kept_and_the_next_run_goes_on(repository, store):
    script = "".join(
        f"commit refs/heads/main\ncommitter A <a@b> {1_700_000_000 + number} +0000\ndata 1\nx\nM 644 inline a\n"
        f"data {len(str(number))}\n{number}\n"
        for number in range(450)
    )
    repository.import_(script)

    def stop(found):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_git(store, progress=stop)
    assert len(list(store.logs.after())) == 200

    assert learn_git(store).sessions == 250
    assert sum(isinstance(line, SessionLine) for line in store.logs.after()) == 450


def test_a_renamed_file_keeps_its_rating_and_a_deleted_one_was_not_read(repository, store):
    text = "".join(f"line {number}\n" for number in range(20))
    repository.commit(old=text, gone="g")
    repository.path("old").rename(repository.path("new"))
    repository.path("gone").unlink()
    repository.commit()

    found = learn_git(store)

    assert found.renames == 1
    with Scores(store) as scores:
        uses = {one.content.id: one.uses for one in scores.rated(ContentKind.FILE)}
    assert (uses["new"], uses["gone"], "old" in uses) == (1, 1, False)


def test_a_commit_of_too_many_files_counts_for_none_but_its_renames_hold(repository, store):
    text = "".join(f"line {number}\n" for number in range(20))
    repository.commit(old=text)
    repository.path("old").rename(repository.path("new"))
    repository.commit(**{f"many{number}": "x" for number in range(6)})

    found = learn_git(store, largest=5)

    assert found.large == 1
    last = list(store.logs.after())[-1]
    assert (last.files_accessed, last.renamed) == ((), (("old", "new"),))


def test_a_commit_from_the_future_counts_as_made_now(repository, store):
    repository.clock = int(NOW) + 10_000_000
    repository.commit(a="a")

    assert learn_git(store).future == 1
    assert list(store.logs.after())[-1].end_time == NOW


def test_what_a_shallow_clone_begins_with_is_not_counted(repository, tmp_path):
    for number in range(3):
        repository.commit(a=str(number), **{f"f{number}": "x"})
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth", "2", f"file://{repository.root}", str(clone))

    with Store.create(clone, clock=lambda: NOW) as store:
        found = learn_git(store)
        (line,) = store.logs.after()

    assert found.shallow
    assert line.files_accessed == ("a", "f2")


def test_a_rewritten_history_is_read_anew_and_known_commits_are_left_out(repository, store, monkeypatch):
    repository.commit(a="1")
    repository.commit(a="2")
    learn_git(store)
    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.commit("another", a="3")

    found = learn_git(store)

    assert (found.commits, found.sessions) == (1, 1)  # from the last known commit that is still part of it
    monkeypatch.setattr("paragone.memory.git_learning._MAX_TRIED", 0)
    assert learn_git(store) == GitLearning(commits=2, known=2, total=2)
