"""Whether packs hold what the next commits change: files, definitions by name, and their bodies.

    .venv/bin/python benchmarks/memory_pack.py [--repositories FOLDER ...] [--share 0.1] [--windows 3] [--skip N]
        [--quick] [--json]

A window is 20 commits along the first parents; the last windows of a repository follow one another. Before each, the
tree at its start is checked out, indexed without vectors and learned with ``learn-git``, as anybody would, and packed
with a share of the tokens of all files that no program wrote. Then each commit of the window asks the pack: are the
files that it changes named, with a signature; are the definitions that it changes named; are their bodies there. Once
without a query, and once with the commit's subject as the query. Definitions of Python files are those of ``ast``, the
innermost one that a changed line lies in, so that the index does not judge itself; of other files, its units. What the
start of the window did not have does not count. All of it is looked up in the text of the pack.

Without ``--repositories`` it is this one; the figures on the page of benchmarks are of clones of
github.com/python-attrs/attrs, github.com/simonw/llm and github.com/sqlalchemy/alembic.
"""

import argparse
import ast
import json
import math
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rating_table import Table, as_json, as_text

from paragone.memory import Memory
from paragone.memory.index.file_parser import generated
from paragone.memory.index.symbols import symbols_of
from paragone.memory.index.units import owner_of, units_of

WINDOW = 20
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
REST = ""
MAX_FILES = 50
"""Commits that change more files, such as reformatting, do not count."""


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A definition of a file: its last name, its lines without those of inner ones, and the last name around it."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A commit, and the definitions that it changes, by path and qualified name."""

    subject: str
    touched: Mapping[str, frozenset[str]]


def git(folder: Path, *arguments: str) -> str:
    """What git says."""
    command = ["git", "-C", str(folder), "-c", "core.quotePath=false", *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def definitions(path: str, text: str) -> tuple[dict[str, Definition], list[str]]:
    """The definitions of a file by qualified name, and the name that each of its lines belongs to."""
    spans = _python_spans(text) if path.endswith((".py", ".pyi")) else None
    if spans is None:
        spans = [(unit.name, unit.start, unit.end) for unit in units_of(path, text, symbols_of(path, text))[1:]]
    lines = text.split("\n")
    names = [REST, *(name for name, _, _ in spans)]
    owners = [names[owner] for owner in owner_of(len(lines), [span[1:] for span in spans])]
    own: dict[str, list[str]] = {name: [] for name in names}
    for line, owner in zip(lines, owners, strict=True):
        if line.strip():
            own[owner].append(line)
    made = {
        name: Definition(name=name.rpartition(".")[2].partition("#")[0], lines=tuple(some))
        for name, some in own.items()
    }
    return made, owners


def _python_spans(text: str) -> list[tuple[str, int, int]] | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return list(_below(tree, ""))


def _below(node: ast.AST, around: str) -> Iterator[tuple[str, int, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{around}{child.name}"
            start = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield name, start, child.end_lineno or start
            yield from _below(child, f"{name}.")
        else:
            yield from _below(child, around)


def commit_of(folder: Path, sha: str, known: Mapping[str, Mapping[str, Definition]]) -> Commit:
    """The definitions that a commit changes, of those that are known."""
    patch = git(folder, "diff", "-M", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", f"{sha}^1", sha)
    touched: dict[str, set[str]] = {}
    path, owners = "", list[str]()
    for line in patch.split("\n"):
        if line.startswith("--- "):
            path, owners = line[6:].rstrip("\t"), []
            if line.startswith("--- a/") and path in known:
                owners = definitions(path, git(folder, "show", f"{sha}^1:{path}").replace("\r\n", "\n"))[1]
        elif owners and (hunk := HUNK.match(line)):
            touched.setdefault(path, set()).update(_changed(owners, int(hunk[1]), int(hunk[2] or 1)) & set(known[path]))
    subject = git(folder, "show", "-s", "--format=%s", sha).strip()
    return Commit(subject=subject, touched={path: frozenset(names) for path, names in touched.items() if names})


def _changed(owners: Sequence[str], start: int, count: int) -> set[str]:
    """The owners of some changed lines; lines put between two belong to what both lie in."""
    if count:
        return set(owners[start - 1 : start - 1 + count])
    near = [owners[row] if 0 <= row < len(owners) else REST for row in (start - 1, start)]
    common = near[0] if near[1] == near[0] or near[1].startswith(f"{near[0]}.") else near[1]
    return {common if near[0] == common or near[0].startswith(f"{common}.") or not common else REST}


class PackText:
    """What a pack says of each file, read from its text."""

    def __init__(self, xml: str) -> None:
        self.texts: dict[str, str] = {}
        self.signed: set[str] = set()
        for element in ET.fromstring(xml):
            if element.tag == "outlines":
                self._outlines(element.text or "")
            elif element.tag in {"file", "folded", "signatures"}:
                self.texts[element.get("path", "")] = element.text or ""
                self.signed.add(element.get("path", ""))

    def _outlines(self, text: str) -> None:
        path = ""
        for line in text.split("\n"):
            if line and not line.startswith(" "):
                path = line
                self.texts[path] = ""
            elif line:
                self.texts[path] += f"{line}\n"
                self.signed.add(path)

    def names(self, path: str, definition: Definition) -> bool:
        """Whether a definition is named; the rest of a file is where the file is."""
        if not definition.name:
            return path in self.texts
        return re.search(rf"(?<!\w){re.escape(definition.name)}(?!\w)", self.texts.get(path, "")) is not None

    def holds(self, path: str, definition: Definition) -> bool:
        """Whether all lines of a definition are there."""
        lines = set(self.texts.get(path, "").split("\n"))
        return path in self.texts and all(line in lines for line in definition.lines)


Score = tuple[float, float, float]
"""Share of the touched files with a signature, of the touched definitions named, and of those with their bodies."""


def score(text: PackText, commit: Commit, known: Mapping[str, Mapping[str, Definition]]) -> Score:
    """How much of what a commit changes a pack holds."""
    touched = [(path, known[path][name]) for path, names in sorted(commit.touched.items()) for name in sorted(names)]
    return (
        _mean([path in text.signed for path in commit.touched]),
        _mean([text.names(path, definition) for path, definition in touched]),
        _mean([text.holds(path, definition) for path, definition in touched]),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@dataclass(kw_only=True)
class Measured:
    """The scores of a repository, without and with a query, and the size of its packs."""

    name: str
    without: list[Score]
    asked: list[Score]
    tokens: list[int]
    seconds: list[float]


def windows(folder: Path, number: int, skip: int) -> list[tuple[str, list[str]]]:
    """The commit before each window, and the commits in it."""
    shas = git(folder, "rev-list", "--first-parent", "--reverse", "HEAD").split()
    shas = shas[: len(shas) - skip] if skip else shas
    starts = [len(shas) - WINDOW * back for back in range(number, 0, -1)]
    return [(shas[start - 1], shas[start : start + WINDOW]) for start in starts if start > 0]


def measure(folder: Path, share: float, number: int, skip: int) -> Measured:
    """All windows of a repository."""
    measured = Measured(name=folder.resolve().name, without=[], asked=[], tokens=[], seconds=[])
    for start, shas in windows(folder, number, skip):
        with tempfile.TemporaryDirectory() as place:
            root = Path(place) / "tree"
            git(folder, "clone", "--quiet", "--shared", "--no-checkout", str(folder), str(root))
            git(root, "checkout", "--quiet", "--detach", start)
            _window(root, folder, shas, share, measured)
    return measured


def _window(root: Path, folder: Path, shas: Sequence[str], share: float, measured: Measured) -> None:
    known = dict(_known(root))
    commits = [commit_of(folder, sha, known) for sha in shas]
    commits = [commit for commit in commits if 0 < len(commit.touched) <= MAX_FILES]
    with Memory.create(root) as memory:
        memory.index(vectors=False)
        memory.learn_git()
        tokens = round(share * memory.pack(tokens=2_000).full_tokens)
        began = time.process_time()
        text = PackText(memory.pack(tokens=tokens, form="xml").text)
        measured.seconds.append(time.process_time() - began)
        measured.tokens.append(tokens)
        for commit in commits:
            measured.without.append(score(text, commit, known))
            asked = PackText(memory.pack(tokens=tokens, form="xml", query=commit.subject).text)
            measured.asked.append(score(asked, commit, known))


def _known(root: Path) -> Iterator[tuple[str, dict[str, Definition]]]:
    for path in git(root, "ls-files", "-z").split("\0"):
        file = root / path
        if not path or file.is_symlink() or not file.is_file():
            continue
        data = file.read_bytes()
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        if b"\0" not in data and not generated(path, text):
            yield path, definitions(path, text)[0]


def rows(measured: Measured) -> Iterator[tuple[str | float, ...]]:
    """Two rows of a table: without and with the query."""
    for name, scores in (("no query", measured.without), ("subject as query", measured.asked)):
        columns = list(zip(*scores, strict=True))
        means = [_mean(column) for column in columns]
        errors = [
            math.sqrt(sum((value - mean) ** 2 for value in column)) / len(column)
            for column, mean in zip(columns, means, strict=True)
        ]
        least = min(
            round(asked[0] - without[0], 4) for asked, without in zip(measured.asked, measured.without, strict=True)
        )
        yield (
            f"{measured.name}, {name}",
            len(scores),
            *(part for pair in zip(means, errors, strict=True) for part in pair),
            least,
        )


def table(all_measured: Sequence[Measured], share: float) -> Table:
    """One table of all repositories."""
    sizes = "; ".join(f"{each.name} {', '.join(f'{tokens:,}' for tokens in each.tokens)}" for each in all_measured)
    return Table(
        title=f"Packs of {share:.0%} of the tokens, and the next {WINDOW} commits of each window",
        columns=(
            "repository",
            "commits",
            "files",
            "± SE",
            "named",
            "± SE",
            "bodies",
            "± SE",
            "change of files by the query, lowest",
        ),
        rows=[row for each in all_measured for row in rows(each)],
        notes=(f"Tokens of the packs: {sizes}.",),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repositories", nargs="+", type=Path, metavar="FOLDER", default=[Path(__file__).parents[1]])
    parser.add_argument("--share", type=float, default=0.1, help="the budget, of the tokens of all files")
    parser.add_argument(
        "--windows", type=int, default=3, metavar="N", help="windows of 20 commits, the last of history"
    )
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave out so many commits, the newest")
    parser.add_argument("--quick", action="store_true", help="one window")
    parser.add_argument("--json", action="store_true", dest="as_json")
    given = parser.parse_args(arguments)
    measured = []
    for folder in map(Path.resolve, given.repositories):
        try:
            git(folder, "rev-parse")
        except subprocess.CalledProcessError:
            print(f"{folder} is no git repository, it is left out", file=sys.stderr)
            continue
        measured.append(measure(folder, given.share, 1 if given.quick else given.windows, given.skip))
    made = table(measured, given.share)
    print(json.dumps([as_json(made)], indent=2) if given.as_json else as_text(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
