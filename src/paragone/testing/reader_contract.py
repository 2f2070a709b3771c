"""The contract of readers of tables: rows under names, and words for files that cannot be read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from paragone.errors import ParagoneError, UnreadableFile
from paragone.intake.table_files import read_rows, read_table
from paragone.testing.samples import require

Reader = Callable[[Path], Iterable[Mapping[str, object]]]


def check_reader(
    ending: str, sample: Path, rows: Sequence[Mapping[str, object]], *, reader: Reader | None = None
) -> None:
    """Check that a reader of tables keeps the contract.

    Args:
        ending: The ending of its files, with the point.
        sample: A file of its kind.
        rows: The rows of that file, as read; cells compare as texts.
        reader: The reader; None for the one that is registered for the ending.

    Raises:
        AssertionError: With the rule that does not hold.
    """

    def read(path: Path) -> list[dict[str, str]]:
        table = read_table(path) if reader is None else read_rows(path, reader)
        return [dict(zip(table.columns, map(str, row), strict=True)) for row in table.rows]

    require(sample.suffix.lower() == ending, f"the sample ends in {ending}")
    expected = [{name: str(cell) for name, cell in row.items()} for row in rows]
    for _ in range(2):
        actual = read(sample)
        require(actual == expected, f"the sample has the rows {expected}, not {actual}")
    with TemporaryDirectory() as folder:
        for name, content in (("absent", None), ("empty", b""), ("noise", bytes(range(256)) * 8)):
            path = Path(folder, name + ending)
            if content is not None:
                path.write_bytes(content)
            _check_refusal(read, path, name)


def _check_refusal(read: Callable[[Path], object], path: Path, name: str) -> None:
    try:
        read(path)
    except UnreadableFile as error:
        require(path.name in str(error), f"the message about a file ({name}) names it: {error}")
    except ParagoneError as error:
        raise AssertionError(f"a file ({name}) is refused as UnreadableFile, not {type(error).__name__}") from error
    else:
        require(name == "noise", f"a file that is {name} is refused")
