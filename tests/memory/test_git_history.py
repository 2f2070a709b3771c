"""Git's history, read from real repositories: renames, odd names, and nothing that a repository says is run."""

import os
import shutil

import pytest

from paragone.errors import Failure, NotFound
from paragone.memory.git_history import CommitRange, GitHistory

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


def told(root, **options):
    history = GitHistory(root)
    return list(history.commits(CommitRange(head=history.head(), **options)))


SIGNATURE = "-----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----"
LONG = "".join(f"line {number}\n" for number in range(20))


def test_the_oldest_comes_first_with_what_it_added_changed_renamed_and_deleted(repository):
    first = repository.commit("Begin", a=LONG, b="b")
    repository.path("a").rename(repository.path("c"))
    second = repository.commit("Move and change", c=LONG + "more\n", b="bb")
    repository.path("c").rename(repository.path("d"))
    repository.path("b").unlink()
    repository.commit("Move alone")

    one, two, three = told(repository.root)

    assert (one.sha, one.subject, one.time, one.read) == (first, "Begin", 1_700_003_600, ("a", "b"))
    assert (two.sha, two.read, two.renamed) == (second, ("b", "c"), (("a", "c"),))
    assert (three.read, three.renamed, three.removed) == ((), (("c", "d"),), ("b",))


def test_authors_are_pseudonyms_and_no_address_is_kept(repository):
    repository.commit(a="a")

    (commit,) = told(repository.root)

    assert commit.author.startswith("git-")
    assert "Ada" not in repr(commit)
    assert "example.org" not in repr(commit)


def test_names_may_hold_anything_and_those_that_are_no_utf8_are_counted(repository):
    for name in ("tab\tand\nline", "\x1eA", ' "quoted" ', "ünï", "-rf"):
        (repository.root / name).write_text(name)
    (repository.root / os.fsdecode(b"bad\xff")).touch()
    repository.commit("subject\twith \x1e mark")

    (commit,) = told(repository.root)

    assert set(commit.read) == {"tab\tand\nline", "\x1eA", ' "quoted" ', "ünï", "-rf"}
    assert commit.unnamed == 1


def test_of_a_part_of_a_repository_only_what_lies_below_it_is_told(repository):
    repository.commit(part__a="a", other="o")
    repository.commit(other="oo")

    (commit,) = told(repository.root / "part")

    assert commit.read == ("a",)


def test_a_merge_did_what_its_side_branch_brought(repository):
    repository.commit("base", a="a")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("side", side="s")
    repository.git("checkout", "-q", "main")
    repository.commit("main", b="b")
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    history = GitHistory(repository.root)
    wanted = CommitRange(head=history.head())

    told = [(commit.subject, commit.read) for commit in history.commits(wanted)]
    assert told == [("base", ("a",)), ("main", ("b",)), ("merge", ("side",))]
    assert (history.count(wanted), history.count(wanted, merges=True)) == (3, 1)


def test_a_history_goes_on_after_a_commit_or_begins_at_a_date(repository):
    first = repository.commit("one", a="1")
    repository.commit("two", a="2")
    repository.commit("three", a="3")

    assert [commit.subject for commit in told(repository.root, after=first)] == ["two", "three"]
    assert [commit.subject for commit in told(repository.root, since=1_700_010_000)] == ["three"]
    assert GitHistory(repository.root).holds(first, "HEAD")
    assert not GitHistory(repository.root).holds("0" * 40, "HEAD")
    assert not GitHistory(repository.root).holds("--help", "HEAD")


def test_nothing_that_a_repository_configures_is_run(repository, tmp_path):
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch '{sprung}'\ncat\n")
    trap.chmod(0o755)
    repository.commit(**{"a.txt": "a", ".gitattributes": "*.txt diff=trap"})
    repository.commit(**{"a.txt": LONG})
    signed = repository.git("cat-file", "commit", "HEAD").replace("\n\n", f"\ngpgsig {SIGNATURE}\n\n", 1)
    (tmp_path / "signed").write_text(signed + "\n")
    commit = repository.git("hash-object", "-t", "commit", "-w", str(tmp_path / "signed"))
    repository.git("update-ref", "HEAD", commit)
    for name in ("core.fsmonitor", "core.pager", "pager.log", "diff.external", "diff.trap.textconv",
                 "diff.trap.command", "gpg.program", "core.sshCommand", "core.editor"):  # fmt: skip
        repository.git("config", name, str(trap))
    repository.git("config", "log.showSignature", "true")

    assert len(told(repository.root)) == 2
    assert not sprung.exists()


def test_a_variable_that_redirects_git_is_not_heeded(repository, tmp_path, monkeypatch):
    other = type(repository)(tmp_path / "other")
    other.commit("elsewhere", x="x")
    repository.commit("here", a="a")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))

    assert [commit.subject for commit in told(repository.root)] == ["here"]


def test_where_a_shallow_clone_begins_is_known(repository, tmp_path):
    for number in range(3):
        repository.commit(a=str(number))
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth", "2", f"file://{repository.root}", str(clone))

    history = GitHistory(clone)
    first, last = history.commits(CommitRange(head=history.head()))

    assert history.shallow() == {first.sha}
    assert GitHistory(repository.root).shallow() == frozenset()
    assert last.read == ("a",)


def test_without_a_repository_or_a_commit_or_git_the_message_says_which(repository, tmp_path, monkeypatch):
    (tmp_path / "plain").mkdir()
    with pytest.raises(NotFound, match="is not in a git repository"):
        GitHistory(tmp_path / "plain").head()
    with pytest.raises(NotFound, match="has no commit yet"):
        GitHistory(repository.root).head()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotFound, match="git is not installed"):
        GitHistory(repository.root).head()


def test_a_git_that_takes_too_long_is_stopped(repository, tmp_path, monkeypatch):
    repository.commit(a="a")
    head = GitHistory(repository.root).head()
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 30\n")
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")

    with pytest.raises(Failure, match=r"over 0\.2 seconds"):
        list(GitHistory(repository.root, seconds=0.2).commits(CommitRange(head=head)))


def test_a_repository_that_is_damaged_is_a_failure_in_gits_words(repository):
    repository.commit(a="a")
    head = repository.commit(a="b")
    shutil.rmtree(repository.root / ".git" / "objects")
    (repository.root / ".git" / "objects").mkdir()

    with pytest.raises(Failure, match="git cannot tell the history"):
        list(GitHistory(repository.root).commits(CommitRange(head=head)))
