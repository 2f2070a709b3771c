"""Exports of other tools as votes: what they hold about who beat whom, one comparison a row.

Where a tool compares two answers, its verdicts are the votes. Where it scores each answer by itself, two candidates met
on every question that both have a score for: the higher score wins, equal ones tie. No tool needs to be installed.

Sources: the documentation of AlpacaEval (``annotations.json``), FastChat (``gen_judgment.py`` writes MT-Bench's
judgments), Inspect ("Eval logs"; a ``.eval`` file is a zip archive), promptfoo ("Output formats"), Langfuse ("Export
from UI", "Blob storage export field reference") and Argilla ("Query, filter, and export records").
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidConfig, InvalidVotes, UnreadableFile
from paragone.intake.inspect_logs import ENDING, InspectLog, read_archive
from paragone.intake.table import as_number
from paragone.intake.table_files import parse_line, read_csv, refuse_content
from paragone.intake.text_file import UTF8, display_name, marked_encoding, read_text
from paragone.intake.vote import VoteOptions, refuse_repeated

Row = Mapping[str, object]

TABLE = "table"
"""The name of what no other tool wrote: a table of votes."""
_BEGINNING = 1 << 20
_GRADES = {"C": 1.0, "CORRECT": 1.0, "P": 0.5, "PARTIAL": 0.5, "I": 0.0, "INCORRECT": 0.0, "N": 0.0, "NOANSWER": 0.0}
_LONGEST_LABEL = 80
_COMPARING = frozenset({"select-best", "max-score"})
"""Assertions of promptfoo that choose among the outputs of a test."""
_NO_OUTPUT = 2
"""What promptfoo's ``failureReason`` is where the provider failed; 1 is an assertion that did."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportFormat:
    """What a tool writes.

    Attributes:
        name: Its name, as for ``--from``.
        title: What the file is, for messages.
        marks: Texts at the beginning of a file that all have to be there.
        rows: Makes votes of the records of a file or of several.
        records: Takes the records out of the parsed content, if that is not a list of them.
        meets_across: Whether what is ranked may be in different files, such as one for each model.
        in_tables: Whether it is written as a .csv file too, whose header has the marks.
    """

    name: str
    title: str
    marks: tuple[str, ...]
    rows: Callable[[Sequence[Any]], Iterator[Row]]
    records: Callable[[Any], Sequence[Any]] = lambda content: [content] if isinstance(content, Mapping) else content
    meets_across: bool = False
    in_tables: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportedVotes:
    """The votes of an export.

    Attributes:
        title: What the file is.
        rows: The votes, as mappings that ``read_votes`` takes.
    """

    title: str
    rows: Sequence[Row]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """A score of a candidate on a question.

    Attributes:
        candidate: What is ranked, such as a model.
        question: What it was asked.
        scorer: Who gave the score.
        score: The score; higher is better.
    """

    candidate: str
    question: str
    scorer: str
    score: float


def exported_votes(source: object, form: str | None = None, encoding: str | None = None) -> ExportedVotes | None:
    """The votes of files that another tool wrote; None for anything else.

    Args:
        source: A file, several logs of Inspect or a folder of them, or anything else that votes are read from.
        form: The name of its format; None recognises it.
        encoding: Of a text file; None as for ``encoding_of``.

    Raises:
        UnreadableFile: If it is such an export and damaged.
        InvalidVotes: If it compares no two candidates.
        InvalidConfig: If there is no format of that name.
    """
    chosen = export_format(source, form)
    paths = _paths(source)
    if chosen is None or not paths:
        return None
    path = paths[0]
    try:
        rows = list(chosen.rows([record for each in paths for record in _records(each, chosen, encoding)]))
    except (KeyError, TypeError, AttributeError) as error:
        lacks = f"a record has no {error}" if isinstance(error, KeyError) else "a record has another form"
        raise UnreadableFile(
            f"{display_name(path)} is not {chosen.title}: {lacks}; --from {TABLE} reads it as votes"
        ) from error
    if not rows:
        more = "; name the files of both together" if chosen.meets_across and len(paths) == 1 else ""
        raise InvalidVotes(
            f"{path.name}: {chosen.title}, in which no two candidates share a question; at least two are needed{more}"
        )
    return ExportedVotes(title=chosen.title, rows=rows)


def export_format(source: object, form: str | None = None) -> ExportFormat | None:
    """The format of an export; None for anything else.

    Args:
        source: As for ``exported_votes``.
        form: As for ``exported_votes``.

    Raises:
        InvalidConfig: If no format is called so.
    """
    if form is not None:
        by_name: dict[str, ExportFormat | None] = {TABLE: None, **{each.name: each for each in FORMATS}}
        if form not in by_name:
            raise InvalidConfig(
                f"no format is called {form!r}{did_you_mean(form, by_name)}; there are {', '.join(by_name)}"
            )
        return by_name[form]
    formats = [_format_of(path) for path in _paths(source)]
    first = formats[0] if formats else None
    is_whole = first is not None and (len(formats) == 1 or first.meets_across)
    return first if is_whole and all(each is first for each in formats) else None


def _paths(source: object) -> list[Path]:
    """The files of a source: one, several, or the logs of Inspect in a folder; none for anything else."""
    refuse_content(source, name="votes")
    if isinstance(source, str | Path):
        path = Path(source)
        return [file for file in sorted(path.rglob("*")) if _format_of(file) is INSPECT] if path.is_dir() else [path]
    several = source if isinstance(source, list | tuple) else []
    paths = [each for each in several if isinstance(each, Path)]
    refuse_repeated(paths)
    return paths if len(paths) == len(several) else []


def _format_of(path: Path) -> ExportFormat | None:
    """The format of a file, by its ending and its beginning."""
    ending = path.suffix.lower()
    if ending == ENDING:
        return INSPECT
    if ending not in (".json", ".jsonl", ".csv") or not path.is_file():
        return None
    with path.open("rb") as file:
        content = file.read(_BEGINNING)
    beginning = content.decode(marked_encoding(content) or UTF8, "replace")
    if path.suffix.lower() == ".csv":
        names = {f'"{name.strip()}"' for name in beginning.partition("\n")[0].replace('"', "").split(",")}
        return next((each for each in FORMATS if each.in_tables and names.issuperset(each.marks)), None)
    return next((each for each in FORMATS if all(mark in beginning for mark in each.marks)), None)


def export_options(source: object, options: VoteOptions) -> VoteOptions:
    """How a source is read: an export asks different questions about one pair, unless the caller says otherwise."""
    if options.repeats is None and export_format(source, options.form) is not None:
        return replace(options, repeats=False)
    return options


def _records(path: Path, form: ExportFormat, encoding: str | None) -> Sequence[Any]:
    if path.suffix.lower() == ENDING:
        return [read_archive(path)]
    content = _parsed(path, encoding)
    if form is INSPECT:
        return [InspectLog.of(path.stem, content["eval"], content.get("samples") or [])]
    return form.records(content)


def _parsed(path: Path, encoding: str | None) -> Any:  # noqa: ANN401 - whatever JSON holds
    if path.suffix.lower() == ".csv":
        table = read_csv(path, encoding)
        return [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    text, name = read_text(path, encoding), display_name(path)
    if path.suffix.lower() == ".jsonl":
        lines = enumerate(text.split("\n"), 1)
        return [parse_line(line, f"{name}, line {number}") for number, line in lines if line.strip()]
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{name}: not complete JSON ({error})") from error


def from_scores(scores: Iterable[Scored]) -> Iterator[Row]:
    """Each pair of candidates on each question that both have a score for, by each scorer.

    Several scores of a candidate on a question, as of repeated runs, count as their mean.
    """
    answers: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in scores:
        answers[each.scorer, each.question][each.candidate].append(each.score)
    for (scorer, _), by_candidate in answers.items():
        means = {candidate: math.fsum(values) / len(values) for candidate, values in by_candidate.items()}
        for model, other in combinations(means, 2):
            better, worse = (model, other) if means[model] >= means[other] else (other, model)
            yield {
                "winner": better,
                "loser": worse,
                "draw": means[model] == means[other],
                **({"judge": scorer} if scorer else {}),
            }


def _alpaca(records: Sequence[Row]) -> Iterator[Row]:
    """AlpacaEval: a preference of 1 is for the first output, of 2 for the second, between them a probability."""
    for record in records:
        preference = as_number(record["preference"])
        is_answer = preference is not None and not math.isnan(preference)
        # 0 is how its earlier versions wrote a tie.
        share = None if not is_answer or preference is None else 0.5 if preference == 0 else 2.0 - preference
        yield {
            "a": record["generator_1"],
            "b": record["generator_2"],
            "winner": share,
            "judge": record.get("annotator"),
        }


def _mt_bench_pairs(records: Sequence[Row]) -> Iterator[Row]:
    """MT-Bench: two games a row, the second with the answers in the other order."""
    for record in records:
        model, other, judge = record["model_1"], record["model_2"], _judge(record)
        calls = {"model_1": model, "model_2": other, "tie": "tie"}
        yield {"a": model, "b": other, "winner": calls.get(str(record["g1_winner"])), "judge": judge}
        yield {"a": other, "b": model, "winner": calls.get(str(record["g2_winner"])), "judge": judge}


def _mt_bench_scores(records: Sequence[Row]) -> Iterator[Row]:
    """MT-Bench's grades of single answers, -1 where there is none."""
    scores = ((record, as_number(record["score"])) for record in records)
    return from_scores(
        Scored(
            candidate=str(record["model"]),
            question=f"{record['question_id']} {record.get('turn')}",
            scorer=_judge(record),
            score=score,
        )
        for record, score in scores
        if score is not None and score >= 0
    )


def _judge(record: Row) -> str:
    judge = record.get("judge", "")
    return str(judge[0]) if isinstance(judge, list | tuple) and judge else str(judge)


def _promptfoo(records: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    results = [each for each in records if not _is_failure(each)]
    providers = {_provider(each) for each in results}
    prompts = {_prompt(each) for each in results}

    def candidate(result: Mapping[str, Any]) -> str:
        parts = [_provider(result)] if len(providers) > 1 or len(prompts) == 1 else []
        return ", ".join([*parts, _prompt(result)] if len(prompts) > 1 else parts)

    return from_scores(
        Scored(candidate=candidate(each), question=_test(each), scorer="", score=score)
        for each in results
        if (score := _test_score(each)) is not None
    )


def _test_score(result: Mapping[str, Any]) -> float | None:
    """The score of a test; the mean of its assertions if one compares outputs, which promptfoo leaves out of it."""
    parts = (result.get("gradingResult") or {}).get("componentResults") or []
    if any((part.get("assertion") or {}).get("type") in _COMPARING for part in parts):
        return math.fsum(float(part["score"]) for part in parts) / len(parts)
    return _number(result.get("score", result.get("success")))


def _is_failure(result: Mapping[str, Any]) -> bool:
    """Whether there is no output to score. A test that was not passed has an ``error`` too: the assertion's reason."""
    reason = result.get("failureReason")
    return bool(result.get("error")) and (not result.get("gradingResult") if reason is None else reason == _NO_OUTPUT)


def _test(result: Mapping[str, Any]) -> str:
    """A test by its number and its variables, which tell tests of different files apart."""
    return f"{result['testIdx']} {json.dumps((result.get('testCase') or {}).get('vars'), sort_keys=True)}"


def _provider(result: Mapping[str, Any]) -> str:
    provider = result.get("provider") or ""
    return str(provider.get("label") or provider.get("id")) if isinstance(provider, Mapping) else str(provider)


def _prompt(result: Mapping[str, Any]) -> str:
    prompt = result.get("prompt") or {}
    label = " ".join(str(prompt.get("label") or prompt.get("raw") or "").split())
    return label if 0 < len(label) <= _LONGEST_LABEL else f"prompt {int(result.get('promptIdx', 0)) + 1}"


def _number(value: object) -> float | None:
    """A score as a number: a number, true or false, or a grade of Inspect."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and value.upper() in _GRADES:
        return _GRADES[value.upper()]
    number = as_number(value)
    return None if number is None or not math.isfinite(number) else number


def _compared(logs: Sequence[InspectLog]) -> Iterator[Row]:
    """Logs of one model are told apart by their names: they differ in their settings."""
    by_model = len({log.model for log in logs}) > 1
    return from_scores(
        Scored(
            candidate=log.model if by_model else log.name,
            question=f"{log.task} {sample['id']} {sample['epoch']}",
            scorer=scorer,
            score=score,
        )
        for log in logs
        for sample in log.samples
        for scorer, score in _scores(sample.get("scores") or {})
    )


def _scores(scores: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Each scorer's score of a sample; a scorer that gives several has one for each."""
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        values = (
            {f"{scorer}.{key}": each for key, each in value.items()} if isinstance(value, Mapping) else {scorer: value}
        )
        for name, each in values.items():
            number = _number(each)
            if number is not None:
                yield name, number


_RUNS = ("datasetRunName", "dataset_run_name", "datasetRunId", "dataset_run_id", "traceName", "trace_name")
_ITEMS = ("datasetItemId", "dataset_item_id", "sessionId", "session_id")


def _langfuse(records: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Scores of dataset runs on the same items, or of traces of several names in the same sessions."""
    scored = []
    for record in records:
        trace = record.get("trace")
        trace = trace if isinstance(trace, Mapping) else {}
        row = {**trace, "traceName": trace.get("name"), **record}
        candidate, question = (_first(row, names) for names in (_RUNS, _ITEMS))
        score = _number(record.get("value"))
        if candidate and question and score is not None:
            scored.append(Scored(candidate=candidate, question=question, scorer=str(record["name"]), score=score))
    if records and not scored:
        raise InvalidVotes(
            "scores of Langfuse say what was scored by the run and the item of a dataset, or by a trace's name and a "
            f"session; these rows have neither. Add columns {_RUNS[0]} and {_ITEMS[0]} to the export"
        )
    return from_scores(scored)


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(row[name]) for name in names if row.get(name)), "")


_PROMPTS = frozenset(
    {"prompt", "instruction", "question", "input", "query", "context", "system", "chat", "conversation"}
)
_SOURCES = ("model", "source", "system", "generator")
_TIES = frozenset({"tie", "equal", "same", "both", "neither"})


def _argilla(records: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Rankings and preferences between the fields of a record, and ratings of answers to the same prompt."""
    ratings: list[Scored] = []
    for number, record in enumerate(records):
        fields = record.get("fields") or {}
        options = [name for name in fields if name.lower() not in _PROMPTS]
        for user, value in _responses(record):
            if _number(value) is not None:
                source = _first(record.get("metadata") or {}, _SOURCES)
                prompt = str(next((fields[name] for name in fields if name.lower() in _PROMPTS), number))
                ratings += (
                    [Scored(candidate=source, question=prompt, scorer=user, score=float(str(value)))] if source else []
                )
            else:
                yield from _ordered(record, user, value, options)
    yield from from_scores(ratings)


def _responses(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What each person answered, drafts and what was discarded left out; suggestions are no answers."""
    for answers in (record.get("responses") or {}).values():
        for answer in answers:
            if answer.get("status", "submitted") == "submitted" and answer.get("value") is not None:
                yield str(answer.get("user_id") or ""), answer["value"]


def _ordered(record: Mapping[str, Any], user: str, value: Any, options: Sequence[str]) -> Iterator[Row]:  # noqa: ANN401
    """A ranking of options, best first or with ranks; or the option that is preferred."""
    metadata = record.get("metadata") or {}
    judge = {"judge": user} if user else {}

    def candidate(option: str) -> str:
        return _first(metadata, (option, *(f"{option}{mark}{name}" for mark in "_-." for name in _SOURCES))) or option

    if isinstance(value, str):
        if value.lower() in _TIES and len(options) == 2:
            yield {"winner": candidate(options[0]), "loser": candidate(options[1]), "draw": True, **judge}
        elif value in options:
            rejected = [option for option in options if option != value]
            yield from (
                {"winner": candidate(value), "loser": candidate(other), "draw": False, **judge} for other in rejected
            )
    elif isinstance(value, list):
        ranks = [
            (float(entry["rank"]), str(entry["value"])) if isinstance(entry, Mapping) else (float(index), str(entry))
            for index, entry in enumerate(value)
        ]
        for (rank, option), (later, other) in combinations(sorted(ranks), 2):
            yield {"winner": candidate(option), "loser": candidate(other), "draw": rank == later, **judge}


INSPECT = ExportFormat(
    name="inspect",
    title="logs of Inspect",
    marks=('"eval"', '"task"', '"model"', '"run_id"'),
    rows=_compared,
    meets_across=True,
)
FORMATS: Sequence[ExportFormat] = (
    ExportFormat(
        name="alpaca-eval",
        title="annotations of AlpacaEval",
        marks=('"generator_1"', '"generator_2"', '"preference"'),
        rows=_alpaca,
    ),
    ExportFormat(
        name="mt-bench",
        title="pairwise judgments of MT-Bench",
        marks=('"model_1"', '"g1_winner"', '"g2_winner"'),
        rows=_mt_bench_pairs,
    ),
    ExportFormat(
        name="mt-bench-single",
        title="grades of MT-Bench",
        marks=('"question_id"', '"model"', '"judge"', '"score"', '"turn"'),
        rows=_mt_bench_scores,
        meets_across=True,
    ),
    ExportFormat(
        name="promptfoo",
        title="results of promptfoo",
        marks=('"promptIdx"', '"testIdx"', '"provider"'),
        rows=_promptfoo,
        records=lambda content: content["results"]["results"] if isinstance(content, Mapping) else content,
        meets_across=True,
    ),
    INSPECT,
    *(
        ExportFormat(
            name="langfuse",
            title="scores of Langfuse",
            marks=marks,
            rows=_langfuse,
            records=lambda content: content["data"] if isinstance(content, Mapping) else content,
            meets_across=True,
            in_tables=True,
        )
        for marks in (
            ('"name"', '"value"', '"traceId"', '"dataType"'),
            ('"name"', '"value"', '"trace_id"', '"data_type"'),
        )
    ),
    ExportFormat(
        name="argilla",
        title="records of Argilla",
        marks=('"fields"', '"responses"', '"suggestions"', '"value"'),
        rows=_argilla,
    ),
)
"""What is recognised by itself, the first that fits."""
