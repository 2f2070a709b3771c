"""Results of tests, from a JUnit XML report or JSON, and the files that they are about."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from paragone.errors import InvalidRecord, UnreadableFile

_MAX_BYTES = 64 * 1024 * 1024
_MARKS = re.compile(r"(?i:^(?:test|spec)[_.-]|[_.-](?:test|tests|spec)$)|(?<=[a-z0-9])(?:Test|Tests|TestCase|Spec|IT)$")
_SKIPPED = frozenset({"skipped"})
_FAILED = frozenset({"failure", "error"})


@dataclass(frozen=True, kw_only=True, slots=True)
class TestResult:
    """The result of one test.

    Attributes:
        name: Of the test.
        passed: Whether it passed.
        file: The file that contains it, or that the report says it is about; where the report names a class or package
            alone, that as a path. Empty if unknown.
        about: Whether ``file`` is what the test is about.
    """

    __test__ = False  # no test of ours, whatever its name

    name: str
    passed: bool
    file: str
    about: bool = False


def read_results(path: Path) -> list[TestResult]:
    """The results in a report; skipped tests are left out.

    A JUnit XML report, or JSON: a list of ``{"file": PATH, "test": NAME, "passed": true}``, or an object of it by
    ``"results"``. In XML a property ``about`` of a test names the file that it is about.

    Raises:
        UnreadableFile: If it cannot be read.
        InvalidRecord: If it is neither, or a result is incomplete.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > _MAX_BYTES:
        raise UnreadableFile(f"{path} is larger than {_MAX_BYTES:,} bytes")
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return list(_from_xml(path, data) if start == b"<" else _from_json(path, data))


def _from_xml(path: Path, data: bytes) -> Iterator[TestResult]:
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise InvalidRecord(f"{path} declares a document type, which reports of tests have no use for")
    try:
        root = ET.fromstring(data)  # noqa: S314 - entities are refused above
    except ET.ParseError as error:
        raise InvalidRecord(f"{path} is not valid XML: {error}") from error
    cases = [(suite, case) for suite in root.iter() for case in suite.findall("testcase")]
    if not cases:
        raise InvalidRecord(f"{path} holds no testcase, so it is not a JUnit report")
    for suite, case in cases:
        tags = {child.tag for child in case}
        if tags & _SKIPPED:
            continue
        about = next((row.get("value", "") for row in case.iter("property") if row.get("name") == "about"), "")
        file = about or case.get("file") or suite.get("file") or _file_of_class(case.get("classname", ""))
        yield TestResult(name=case.get("name", ""), passed=not tags & _FAILED, file=_normal(file), about=bool(about))


def _file_of_class(classname: str) -> str:
    """A class such as ``tests.test_pool.TestPool`` or ``com.acme.PoolTest$Empty`` as a path; a path stays as it is."""
    return classname if "/" in classname else "/".join(part for part in re.split(r"[.$\\]", classname) if part)


def _from_json(path: Path, data: bytes) -> Iterator[TestResult]:
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidRecord(f"{path} is neither JUnit XML nor JSON: {error}") from error
    rows = values.get("results") if isinstance(values, dict) else values
    if not isinstance(rows, list):
        raise InvalidRecord(f'{path}: give a list of {{"file", "test", "passed"}}, or an object with it by "results"')
    for number, row in enumerate(rows, 1):
        yield result_of(row, f"{path}, result {number}")


def result_of(row: object, where: str) -> TestResult:
    """A JSON object as a result.

    Raises:
        InvalidRecord: If it lacks a file, or whether the test passed.
    """
    if not isinstance(row, dict) or not isinstance(row.get("file"), str) or not isinstance(row.get("passed"), bool):
        raise InvalidRecord(f'{where}: give "file", a path, and "passed", true or false')
    return TestResult(name=str(row.get("test", "")), passed=row["passed"], file=_normal(row["file"]), about=True)


def _normal(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


class Subjects:
    """Finds the file that a test is about, among the paths of an index.

    A test says so itself, or its file is called after what it tests: ``tests/test_pool.py`` tests ``pool.py``, the one
    whose folders have most in common with it where there are several.

    Args:
        paths: Of the index.
        defining: The paths that define a name, by which the file of a test is found that a report names without one.
    """

    def __init__(self, paths: Iterable[str], defining: Callable[[str], Iterable[str]] | None = None) -> None:
        self._paths, self._defining = dict.fromkeys(paths), defining
        self._by_stem: dict[str, list[str]] = {}
        for path in self._paths:
            self._by_stem.setdefault(PurePosixPath(path).stem.casefold(), []).append(path)

    def of(self, result: TestResult) -> str | None:
        """The path of the file that a test is about; None if the index has none."""
        if result.about:
            return result.file if result.file in self._paths else None
        own = self._own(result)
        return None if own is None else self._called_after(own)

    def _own(self, result: TestResult) -> PurePosixPath | None:
        """The file of a test: one of the index, else what the report says; None if that is not called as tests are."""
        file = PurePosixPath(result.file)
        marked = [part for part in (file, *file.parents) if _is_marked(part)]
        for part in marked:
            if len(indexed := self._alike(part)) == 1:
                return indexed[0]
        return marked[0] if marked else self._of_package(result.name, file)

    def _alike(self, file: PurePosixPath) -> list[PurePosixPath]:
        """The files of the index that a path, from another root or without its ending, may mean."""
        paths = map(PurePosixPath, self._by_stem.get(_stem(file).casefold(), ()))
        return [path for path in paths if file.suffix in ("", path.suffix) and _ends_alike(file, path)]

    def _of_package(self, name: str, package: PurePosixPath) -> PurePosixPath | None:
        """The file of a package that defines a test, as in Go, where reports name no file."""
        function = name.partition("/")[0]
        if self._defining is None or not function.isidentifier() or not package.parts:
            return None
        paths = {PurePosixPath(path) for path in self._defining(function)}
        own = [path for path in paths if _is_marked(path) and _ends_alike(package, path.parent)]
        return own[0] if len(own) == 1 else None

    def _called_after(self, own: PurePosixPath) -> str | None:
        subject = _MARKS.sub("", _stem(own))
        candidates = [
            path
            for path in self._by_stem.get(subject.casefold(), ())
            if not own.suffix or PurePosixPath(path).suffix == own.suffix
        ]
        folders = set(own.parts[:-1])
        best = sorted(candidates, key=lambda path: (-_common(folders, path), path))
        if len(best) > 1 and _common(folders, best[0]) == _common(folders, best[1]):
            return None
        return best[0] if best else None


def _stem(file: PurePosixPath) -> str:
    return file.stem if file.suffix else file.name


def _is_marked(file: PurePosixPath) -> bool:
    """Whether a file is called as tests are."""
    return _MARKS.search(_stem(file)) is not None


def _ends_alike(first: PurePosixPath, other: PurePosixPath) -> bool:
    """Whether one of two paths, without their endings, is the end of the other."""
    parts, other_parts = ([*path.parts[:-1], _stem(path)] if path.name else [] for path in (first, other))
    least = min(len(parts), len(other_parts))
    return parts[len(parts) - least :] == other_parts[len(other_parts) - least :]


def _common(folders: set[str], path: str) -> int:
    return len(folders & set(PurePosixPath(path).parts[:-1]))


@dataclass(frozen=True, kw_only=True, slots=True)
class Tested:
    """The results about one file."""

    passed: int
    failed: int
    failing: tuple[str, ...]


def by_subject(results: Iterable[TestResult], subjects: Subjects) -> tuple[Mapping[str, Tested], int]:
    """The results by the path of the file that they are about, and how many are about none."""
    rows: dict[str, list[TestResult]] = {}
    lost = 0
    for result in results:
        path = subjects.of(result)
        if path is None:
            lost += 1
        else:
            rows.setdefault(path, []).append(result)
    return {
        path: Tested(
            passed=sum(row.passed for row in some),
            failed=sum(not row.passed for row in some),
            failing=tuple(row.name for row in some if not row.passed)[:10],
        )
        for path, some in sorted(rows.items())
    }, lost
