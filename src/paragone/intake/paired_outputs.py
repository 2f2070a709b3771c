"""Outputs of two systems for the same questions: two files, folders or Python values, matched by id or by row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paragone.domain.refusals import quoted
from paragone.errors import InvalidItems, UnknownColumn, UnreadableFile
from paragone.intake.items import OUTPUT_NAMES, folder_items
from paragone.intake.table import InputTable, as_text, is_frame, is_missing, is_written_missing
from paragone.intake.table_files import tabulate
from paragone.intake.text_file import read_text

ID_NAMES = ("id", "question_id", "prompt_id", "example_id", "item_id", "key", "name")
"""Columns taken for the id of a question, the proper name first."""
_TEXT_NAMES = (*OUTPUT_NAMES, "text", "content")
PROMPT_NAMES = ("prompt", "question", "input", "instruction", "query")
_NAMED = 5
_OUTPUT_OPTION = "output_column, --output-column"
_SKIP = "leave such questions out (skip_missing, --skip-missing)"


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedOutput:
    """What two systems answered to one question.

    Attributes:
        id: The question's id.
        new: The output of the new system.
        old: The output of the old one.
        prompt: The question; empty where it is not known.
    """

    id: str
    new: str
    old: str
    prompt: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputColumns:
    """The columns of a table of outputs, where their names do not tell.

    Attributes:
        id: Column of the questions' ids.
        output: Column of the outputs.
        prompt: Column of the questions.
        encoding: Of text files.
    """

    id: str | None = None
    output: str | None = None
    prompt: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Side:
    """One source as it was read: texts by id, and by row where it has no ids."""

    name: str
    texts: Mapping[str, str]
    prompts: Mapping[str, str]
    by_row: bool = False


def paired_outputs(
    new: object,
    old: object,
    prompts: object = None,
    *,
    columns: OutputColumns | None = None,
    skip_missing: bool = False,
) -> tuple[tuple[PairedOutput, ...], tuple[str, ...]]:
    """The outputs of two systems, question by question, and what was left out, in sentences.

    A table (.jsonl, .json, .csv, .tsv, .parquet, .xlsx, a data frame, a list of mappings) has a column of outputs and
    perhaps one of ids; without ids the rows of both go together. A folder has a text file for each question, which
    bears its id. A .txt file has one output a line. A list of texts goes by row, a mapping leads from id to output.

    Args:
        new: The outputs of the new system.
        old: The outputs of the old one.
        prompts: The questions, in any of these forms; by default a column of prompts in one of the two, if there is
            one.
        columns: The columns by what they hold.
        skip_missing: Leave out questions that only one side has, or whose output is empty, instead of refusing.

    Raises:
        UsageError: If a source cannot be read, ids come twice, outputs are missing or empty, or nothing goes together.
    """
    chosen = columns or OutputColumns()
    first, second = (
        _side(source, chosen, name) for source, name in ((new, "the new outputs"), (old, "the old outputs"))
    )
    _require_alike(first, second)
    common = [id for id in first.texts if id in second.texts]
    if not common:
        raise InvalidItems(f"{first.name} and {second.name} have no question in common: {_ids(first)}; {_ids(second)}")
    notes = [*_missing(first, second, skip=skip_missing), *_missing(second, first, skip=skip_missing)]
    filled = [id for id in common if first.texts[id] and second.texts[id]]
    notes += _empty(common, first, second, skip=skip_missing)
    if not filled:
        raise InvalidItems(f"no question has an output in both {first.name} and {second.name}")
    questions = _prompts(prompts, chosen, first, second)
    lacking = [id for id in filled if questions and not questions.get(id)]
    if lacking:
        raise InvalidItems(f"the prompts lack {_listed(lacking)}, which {first.name} has")
    pairs = tuple(
        PairedOutput(id=id, new=first.texts[id], old=second.texts[id], prompt=questions.get(id, "")) for id in filled
    )
    return pairs, tuple(notes)


def _require_alike(first: _Side, second: _Side) -> None:
    """Both have ids or neither has, and without ids as many rows."""
    if first.by_row != second.by_row:
        without, with_ids = (first, second) if first.by_row else (second, first)
        raise InvalidItems(
            f"{with_ids.name} has ids and {without.name} has none, so rows cannot be matched: name the column of ids "
            "(id_column, --id-column) in both, or take it out of both"
        )
    if first.by_row and len(first.texts) != len(second.texts):
        raise InvalidItems(
            f"{first.name} has {len(first.texts):,} rows and {second.name} {len(second.texts):,}: without ids rows are "
            "matched by their order, so there must be as many; give both a column of ids"
        )


def _missing(side: _Side, other: _Side, *, skip: bool) -> list[str]:
    """What the other side lacks, as a note or as a refusal."""
    lacking = [id for id in side.texts if id not in other.texts]
    if not lacking:
        return []
    words = f"{other.name} lacks {_listed(lacking)}, which {side.name} has"
    if not skip:
        raise InvalidItems(f"{words}; repair the file, or {_SKIP}")
    return [f"left out: {words}"]


def _empty(common: Sequence[str], first: _Side, second: _Side, *, skip: bool) -> list[str]:
    """Outputs that are empty, as notes or as a refusal: what a person would see is what is to be judged."""
    notes = []
    for side in (first, second):
        blank = [id for id in common if not side.texts[id]]
        if blank and not skip:
            raise InvalidItems(
                f"{side.name}: the output of {_listed(blank)} is empty; write what a person would see in its place, "
                f"such as (no answer), or {_SKIP}"
            )
        notes += [f"left out: {side.name} has an empty output for {_listed(blank)}"] if blank else []
    return notes


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    return ", ".join(map(quoted, ids[:_NAMED])) + more


def _ids(side: _Side) -> str:
    return f"{side.name} has {_listed(list(side.texts))}"


def _prompts(prompts: object, columns: OutputColumns, first: _Side, second: _Side) -> Mapping[str, str]:
    """The questions by id; empty where nobody knows them."""
    if prompts is None:
        return first.prompts or second.prompts
    side = _side(prompts, OutputColumns(id=columns.id, output=columns.prompt, encoding=columns.encoding), "the prompts")
    if side.by_row != first.by_row or (side.by_row and len(side.texts) != len(first.texts)):
        raise InvalidItems(f"{side.name} and {first.name} do not go together: both need ids, or as many rows without")
    return side.texts


def _side(source: object, columns: OutputColumns, name: str) -> _Side:
    if isinstance(source, str | Path):
        path = Path(source)
        if path.is_dir():
            return _folder(path, columns.encoding)
        if path.suffix.lower() == ".txt":
            lines = read_text(path, columns.encoding).removesuffix("\n").split("\n")
            return _by_row(str(path), lines)
        return _table(tabulate(path, name=str(path), encoding=columns.encoding), columns)
    if isinstance(source, Mapping):
        return _Side(
            name=name, texts={str(id): _text(text, f"{name}, {id!r}") for id, text in source.items()}, prompts={}
        )
    if is_frame(source) or not isinstance(source, Iterable):
        return _table(tabulate(source, name=name), columns)
    entries = list(source)
    if all(isinstance(entry, str) for entry in entries):
        return _by_row(name, entries)
    return _table(tabulate(entries, name=name), columns)


def _by_row(name: str, texts: Iterable[str]) -> _Side:
    return _Side(name=name, texts={str(at): text.strip() for at, text in enumerate(texts, 1)}, prompts={}, by_row=True)


def _folder(path: Path, encoding: str | None) -> _Side:
    """A folder: files of the same name go together, whatever their endings."""
    items = folder_items(path, encoding)
    if not items:
        raise UnreadableFile(f"{path}: no text file in this folder")
    stems = [str(Path(item.id).with_suffix("")) for item in items]
    unique = len(set(stems)) == len(stems)
    texts = {stem if unique else item.id: item.text for stem, item in zip(stems, items, strict=True)}
    return _Side(name=str(path), texts=texts, prompts={})


def _table(table: InputTable, columns: OutputColumns) -> _Side:
    if not table.rows:
        raise InvalidItems(f"{table.name}: no rows")
    output = _output_column(table, columns)
    prompt = _column(table, columns.prompt, PROMPT_NAMES, "prompt_column, --prompt-column")
    id_at = _column(table, columns.id, ID_NAMES, "id_column, --id-column")
    where = [table.where(at) for at in range(len(table.rows))]
    ids = [str(at) for at in range(1, len(where) + 1)]
    if id_at is not None:
        ids = [_text(cell, origin) for cell, origin in zip(table.cells(id_at), where, strict=True)]
        _require_unique(ids, where)
    texts = [_text(cell, origin) for cell, origin in zip(table.cells(output), where, strict=True)]
    questions = {}
    if prompt is not None and prompt != output:
        questions = {id: _text(cell, origin) for id, cell, origin in zip(ids, table.cells(prompt), where, strict=True)}
    return _Side(name=table.name, texts=dict(zip(ids, texts, strict=True)), prompts=questions, by_row=id_at is None)


def _output_column(table: InputTable, columns: OutputColumns) -> int:
    """The column of outputs: the first that goes by one of their names, or the only one there is."""
    if columns.output is not None:
        return table.named(columns.output, _OUTPUT_OPTION)
    for name in (*_TEXT_NAMES, *PROMPT_NAMES):  # a table of prompts alone has those
        at = table.found((name,), option=_OUTPUT_OPTION)
        if at is not None:
            return at
    if len(table.columns) == 1 and not table.delimited:
        return 0
    raise UnknownColumn(
        f"{table.name} has no column for the output ({', '.join(_TEXT_NAMES)}); it has {table.listing()}. "
        f"Name one with {_OUTPUT_OPTION}"
    )


def _column(table: InputTable, column: str | None, names: Sequence[str], option: str) -> int | None:
    return table.named(column, option) if column is not None else table.found(names, option=option)


def _require_unique(ids: Sequence[str], where: Sequence[str]) -> None:
    first: dict[str, str] = {}
    for id, origin in zip(ids, where, strict=True):
        if not id:
            raise InvalidItems(f"{origin}: the id is missing")
        if id in first:
            raise InvalidItems(
                f"{origin}: the id {quoted(id)} is that of {first[id]} already; a question has one output"
            )
        first[id] = origin


def _text(cell: object, origin: str) -> str:
    """A cell as text; empty where it is missing."""
    if is_missing(cell):
        return ""
    text = as_text(cell)
    if text is None:
        raise InvalidItems(f"{origin}: expected text, not {type(cell).__name__}")
    return "" if is_written_missing(text) else text
