"""Whether packs hold what the next session needs: at a fifth of the tokens, over the histories of repositories.

    .venv/bin/python benchmarks/memory_pack.py [--repositories FOLDER ...] [--share 0.2] [--sessions N]
        [--quick] [--json]

A commit is a session that needs the files it changes and that were there before. Before each of them a pack is planned
from the commits before it alone, with the contents as they were then: tokens and signatures are those of the blobs,
counted exactly. The first fifth of a history is learned from only, and so are commits of more than fifty such files.
Without ``--repositories`` it is this one; the figures on the page of benchmarks are of this one and of clones of
github.com/simonw/sqlite-utils, github.com/jazzband/pip-tools and github.com/encode/httpx.
"""

import argparse
import json
import math
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rating_table import Table, as_json, as_text

from paragone.domain.content import Action, Content, ContentTier, Renamed, Standing, UsageConfig, Use
from paragone.memory.git_history import MAX_FILES
from paragone.memory.index import count_tokens
from paragone.memory.index.symbols import signatures
from paragone.memory.packing.pack import LAYOUTS, Quote
from paragone.memory.packing.packer import QUERY_BOOST, condensed
from paragone.memory.packing.plan import Candidate, by_budget, odds
from paragone.memory.store.config import TierConfig, initial_rating, is_pinned
from paragone.memory.trace import Replay
from paragone.ratings.activation import SECONDS_A_DAY, decayed, need
from paragone.wire.pack import PackForm

WARM = 0.2
NOTE = (
    "A budget of {:.0%} of the tokens of all files whole. Covered: whole or as signatures, the mean over sessions; of "
    "all files: the same by files. The query finds files by BM25 over their paths."
)
BINARY = 1_000_000
CONFIG, TIERS, LAYOUT = UsageConfig(), TierConfig(), LAYOUTS["markdown"]
FORMS = (PackForm.FULL, PackForm.SIGNATURES, PackForm.POINTER)

Worth = Callable[[str, Standing, float], float]
Forms = dict[str, PackForm]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One file of a commit: its status, names before and after, and the blob after."""

    status: str
    old: str
    new: str
    blob: str


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A commit that is no merge."""

    sha: str
    time: float
    subject: str
    changes: Sequence[Change]


@dataclass(frozen=True, kw_only=True)
class Text:
    """Tokens of a blob, whole and as signatures; 0 where it has none."""

    tokens: int
    signatures: int


class Repository:
    """A clone, read with git."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, folder.resolve().name.removesuffix(".git")
        if self.name == "repo":  # a bare mirror
            self.name = folder.resolve().parent.name
        self._texts: dict[tuple[str, str], Text | None] = {}
        self._cat = subprocess.Popen(
            ["git", "-C", str(folder), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def commits(self) -> list[Commit]:
        """The first line of parents, the oldest first."""
        asked = ["--reverse", "--first-parent", "--no-merges", "-M", "--raw", "--no-abbrev", "-z"]
        command = ["git", "-C", str(self.folder), "log", *asked, "--format=%x01%H %ct %s"]
        done = subprocess.run(command, capture_output=True, check=True)
        return [_commit(part) for part in done.stdout.decode("utf-8", "replace").split("\x01")[1:]]

    def texts(self, tree: Mapping[str, str]) -> dict[str, Text]:
        """What the blobs of a tree take, by path; without those that are no text, or too large to be indexed."""
        for key in tree.items():
            if key not in self._texts:
                self._texts[key] = _text(key[0], self._read(key[1]))
        found = {path: self._texts[path, blob] for path, blob in tree.items()}
        return {path: text for path, text in found.items() if text is not None}

    def _read(self, blob: str) -> bytes:
        if self._cat.stdin is None or self._cat.stdout is None:
            raise RuntimeError("git has no pipes")
        self._cat.stdin.write(blob.encode() + b"\n")
        self._cat.stdin.flush()
        head = self._cat.stdout.readline().split()
        return self._cat.stdout.read(int(head[2]) + 1)[:-1] if len(head) == 3 else b"\0"  # a submodule has no blob

    def close(self) -> None:
        self._cat.communicate()


def _commit(part: str) -> Commit:
    head, _, rest = part.partition("\0")
    sha, time, subject = head.lstrip("\n").split(" ", 2)
    words = [word.lstrip("\n") for word in rest.split("\0") if word.strip()]
    changes = []
    while words:
        fields = words.pop(0).split(" ")
        old = words.pop(0)
        new = words.pop(0) if fields[4][0] in "RC" else old
        changes.append(Change(status=fields[4][0], old=old, new=new, blob=fields[3]))
    return Commit(sha=sha, time=float(time), subject=subject, changes=changes)


def _text(path: str, data: bytes) -> Text | None:
    if b"\0" in data or len(data) > BINARY:
        return None
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    outline = condensed(signatures(path, text))
    return Text(tokens=count_tokens(text), signatures=count_tokens(outline) if outline else 0)


@cache
def headings(path: str) -> tuple[int, int, int]:
    """Tokens of what a form of a file takes besides its text."""
    quote = Quote(path=path, language="python", lines=100, tokens=0)
    return tuple(map(count_tokens, (LAYOUT.whole(quote), LAYOUT.signatures(quote), LAYOUT.pointer(quote))))  # type: ignore[return-value]


@dataclass(frozen=True, kw_only=True)
class Session:
    """What is known before a commit, and which of the files it then changes."""

    time: float
    subject: str
    texts: Mapping[str, Text]
    standings: Mapping[str, Standing]
    needed: Sequence[str]


def sessions(repository: Repository, most: int | None) -> Iterator[Session]:
    """Commits that change files which were there, and what was known before each; what was changed counts as used.

    All of them, or about so many, evenly spread.
    """
    replay, tree, latest = Replay(CONFIG, _initial), dict[str, str](), -math.inf
    commits = repository.commits()
    step = 1 if most is None else max(1, int((1.0 - WARM) * len(commits)) // most)
    for number, commit in enumerate(commits):
        latest = max(latest, commit.time)  # clocks of authors go back at times
        needed = sorted({change.old for change in commit.changes if change.status in "MRDT" and change.old in tree})
        if number >= WARM * len(commits) and 0 < len(needed) <= MAX_FILES and number % step == 0:
            known = repository.texts(tree)
            wanted = [path for path in needed if path in known]
            if wanted:
                standings = {path: replay.standing(Content.file(path)) for path in known}
                yield Session(time=latest, subject=commit.subject, texts=known, standings=standings, needed=wanted)
        _count(replay, tree, commit, latest)


def _count(replay: Replay, tree: dict[str, str], commit: Commit, time: float) -> None:
    for change in commit.changes:
        if change.status == "R":
            replay.count(Renamed(id=commit.sha, time=time, old=change.old, new=change.new))
        if change.status in "RD":
            tree.pop(change.old, None)
            replay.gone(change.old)
        if change.status != "D":
            tree[change.new] = change.blob
            replay.present(change.new)
    used = tuple(Content.file(path) for path in sorted({change.new for change in commit.changes} & set(tree)))
    if 0 < len(used) <= MAX_FILES:
        replay.count(Use(id=commit.sha, time=time, action=Action.READ, contents=used))


@cache
def _initial(path: str) -> float:
    return initial_rating(Content.file(path), TIERS)


def candidates(session: Session, worth: Mapping[str, float]) -> list[Candidate]:
    """The files of a session as the packer has them."""
    made = []
    for path, text in session.texts.items():
        whole, outline, pointer = headings(path)
        prices = {PackForm.FULL: whole + text.tokens, PackForm.POINTER: pointer}
        if text.signatures:
            prices[PackForm.SIGNATURES] = outline + text.signatures
        pinned = is_pinned(path, TIERS)
        made.append(Candidate(path=path, worth=worth[path], prices=prices, tier=ContentTier.MEDIUM, pinned=pinned))
    return made


def in_order(files: Sequence[Candidate], budget: int) -> Forms:
    """The peer: the worthiest first, each whole where there is room, else as signatures, else as a pointer."""
    given: Forms = {}
    for one in sorted(files, key=lambda one: (not one.pinned, -one.worth, one.path)):
        fits = [form for form in FORMS if form in one.prices and one.prices[form] <= budget]
        if fits:
            given[one.path] = fits[0]
            budget -= one.prices[fits[0]]
    return given


def by_need(_: str, standing: Standing, time: float) -> float:
    return odds(need(standing, time, CONFIG))


def by_elo(_: str, standing: Standing, time: float) -> float:
    return odds(decayed(standing.elo, standing.last_use, time, CONFIG))


def by_recency(_: str, standing: Standing, time: float) -> float:
    return 1.0 / max((time - (standing.last_use or 0.0)) / SECONDS_A_DAY, 1.0 / 1440.0)


def by_frequency(_: str, standing: Standing, time: float) -> float:  # noqa: ARG001
    return standing.uses + 0.5


def at_random(path: str, _: Standing, time: float) -> float:
    return random.Random(f"{path} {time}").random()


RULES: Mapping[str, tuple[Worth, bool, bool]] = {
    "need, the most a token buys": (by_need, True, False),
    "the same, for the commit's subject": (by_need, True, True),
    "Elo, the most a token buys": (by_elo, True, False),
    "recency, the most a token buys": (by_recency, True, False),
    "frequency, the most a token buys": (by_frequency, True, False),
    "random, the most a token buys": (at_random, True, False),
    "need, whole in order": (by_need, False, False),
    "recency, whole in order": (by_recency, False, False),
    "random, whole in order": (at_random, False, False),
}
"""What a file is worth by, whether the budget goes where a token buys the most, and whether the query counts."""


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())


def found(query: str, paths: Sequence[str]) -> dict[str, int]:
    """Ranks of the paths that a query finds by BM25 over their names."""
    texts = {path: Counter(words(path)) for path in paths}
    seen = Counter(word for text in texts.values() for word in text)
    scores = {
        path: sum(
            math.log(1.0 + (len(texts) - seen[word] + 0.5) / (seen[word] + 0.5)) * 2.2 * text[word] / (text[word] + 1.2)
            for word in set(words(query))
            if word in text
        )
        for path, text in texts.items()
    }
    best = sorted((path for path in scores if scores[path] > 0.0), key=lambda path: (-scores[path], path))
    return {path: rank for rank, path in enumerate(best[:100], 1)}


def pack(session: Session, rule: tuple[Worth, bool, bool], share: float) -> tuple[Forms, float]:
    """Forms by path, and how much smaller than all files whole they are."""
    worth_of, by_token, asks = rule
    ranks = found(session.subject, list(session.texts)) if asks else {}
    worth = {
        path: worth_of(path, standing, session.time) * (1.0 + QUERY_BOOST / ranks[path] ** 2 if path in ranks else 1.0)
        for path, standing in session.standings.items()
    }
    full = sum(text.tokens for text in session.texts.values())
    frame = count_tokens(LAYOUT.opening(dict.fromkeys(PackForm, 999)) + LAYOUT.before_pointers())
    files = candidates(session, worth)
    forms = (by_budget if by_token else in_order)(files, int(share * full) - frame)
    spent = frame + sum(one.prices[forms[one.path]] for one in files if one.path in forms)
    return forms, 1.0 - spent / full


def measured(repository: Repository, share: float, most: int | None) -> Table:
    """One table: how much of what a session needs each rule has in its pack."""
    held = list(sessions(repository, most))
    rows = []
    for name, rule in RULES.items():
        packs = [pack(session, rule, share) for session in held]
        shares = [
            [_share(session, forms, upto) for upto in (2, 1, 3)]
            for session, (forms, _) in zip(held, packs, strict=True)
        ]
        files = sum(len(session.needed) for session in held)
        covered = sum(
            _share(session, forms, 2) * len(session.needed) for session, (forms, _) in zip(held, packs, strict=True)
        )
        means = [sum(column) / len(held) for column in zip(*shares, strict=True)]
        rows.append((name, min(saving for _, saving in packs), means[0], covered / files, means[1], means[2]))
    last = held[-1]
    full = sum(text.tokens for text in last.texts.values())
    return Table(
        title=f"{repository.name}: {len(held)} sessions, at the end {len(last.texts)} files of {full:,} tokens",
        columns=("order and rule", "saving, the least", "covered", "of all files", "whole", "with pointers"),
        rows=rows,
        notes=(NOTE.format(share),),
    )


def _share(session: Session, forms: Forms, upto: int) -> float:
    """The share of what is needed that is in a pack in one of the first so many forms."""
    return sum(forms.get(path) in FORMS[:upto] for path in session.needed) / len(session.needed)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repositories", nargs="+", type=Path, metavar="FOLDER", default=[Path(__file__).parents[1]])
    parser.add_argument("--share", type=float, default=0.2, help="the budget, of the tokens of all files")
    parser.add_argument(
        "--sessions", type=int, metavar="N", help="about so many a repository, evenly spread; all by default"
    )
    parser.add_argument("--quick", action="store_true", help="ten sessions")
    parser.add_argument("--json", action="store_true", dest="as_json")
    given = parser.parse_args(arguments)
    tables = []
    for folder in given.repositories:
        try:
            subprocess.run(["git", "-C", str(folder), "rev-parse"], capture_output=True, check=True)
        except subprocess.CalledProcessError:
            print(f"{folder} is no git repository, its table is left out", file=sys.stderr)
            continue
        repository = Repository(folder)
        tables.append(measured(repository, given.share, 10 if given.quick else given.sessions))
        repository.close()
    if given.as_json:
        print(json.dumps([as_json(table) for table in tables], indent=2))
    else:
        print("\n".join(map(as_text, tables)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
