"""Options that commands share. Those that mirror a configuration take bounds, default and help from its declaration.

Options that go together are dataclasses: a command takes the dataclass, and ``main`` makes options of its fields.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from paragone.cli import completion
from paragone.cli.parameters import OnlyWith
from paragone.cli.terminal import note, print_json
from paragone.domain.parameter import parameters
from paragone.errors import InvalidConfig
from paragone.settings import Settings, settings
from paragone.wire.value import shallow

if TYPE_CHECKING:
    from paragone.domain import Item
    from paragone.domain.parameter import Parameter as Declared
    from paragone.judges.call_options import CallOptions
    from paragone.memory import Memory
    from paragone.presenting.table import Table
    from paragone.tournaments.side_information import TableOptions
    from paragone.tournaments.tournament import Tournament


Value = TypeVar("Value")


def option(help: str, *flags: str, **more: Any) -> Any:  # noqa: ANN401 - of typer
    """An option. Its long flag is the parameter's name unless ``flags`` has one, and its type names its value.

    Args:
        help: Its help text.
        flags: Its other spellings.
        more: As for ``typer.Option``.
    """
    return typer.Option(*flags, help=help, **more)


def argument(help: str, **more: Any) -> Any:  # noqa: ANN401 - of typer
    """An argument, as ``option``."""
    return typer.Argument(help=help, **more)


def like(config: type[Any], name: str, *flags: str, after: str = "", **more: Any) -> Any:  # noqa: ANN401 - of typer
    """An option that sets a configuration's field: the first sentence of its meaning is the help, and its bounds hold.

    Args:
        config: The configuration's class.
        name: The field.
        flags: The spellings of the option.
        after: More of the help text.
        more: As for ``typer.Option``.
    """
    parameter = parameters(config)[name]
    sentence = parameter.meaning.partition(". ")[0].rstrip(".").replace("``", "`")

    def checked(context: typer.Context, value: Any) -> Any:  # noqa: ANN401 - of any kind
        above = parameter.bounds.above
        if value is not None and above is not None and not value > above:
            raise typer.BadParameter(f"must be more than {above:g}, not {value:g}", ctx=context)
        return value

    if parameter.bounds.above is not None:
        more.setdefault("callback", checked)
    return typer.Option(
        *flags, help=f"{sentence}.{after}", min=parameter.bounds.least, max=parameter.bounds.most, **more
    )


def fields_of(config: type[Any], *names: str, **own: Any) -> tuple[Parameter, ...]:  # noqa: ANN401 - of typer
    """Options of fields of a configuration. A parameter that is ``Annotated`` with both receives the configuration.

    Args:
        config: The configuration's class.
        names: The fields, in the order of the help; those of ``own`` by default.
        own: Options of fields for which ``like`` with the field's name as the flag is not enough.
    """
    declared = parameters(config)
    return tuple(
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=declared[name].default,
            annotation=Annotated[_type_of(declared[name]), own.get(name) or like(config, name, f"--{name}")],
        )
        for name in names or own
    )


def _type_of(parameter: "Declared") -> Any:  # noqa: ANN401 - a type
    return parameter.kind | None if parameter.optional else parameter.kind


def setting(name: str, *flags: str, **more: Any) -> Any:  # noqa: ANN401 - of typer
    """An option that overrides a setting of the environment; its help names the variable and the default."""
    default = parameters(Settings)[name].default
    usual = "" if default is None else f"; default {default if isinstance(default, str) else f'{default:g}'}"
    return like(Settings, name, *flags, after=f"  [env PARAGONE_{name.upper()}{usual}]", **more)


def _not_empty(db: str | None) -> str | None:
    if db is not None and not db.strip():
        raise InvalidConfig("--db is empty: name a file or a URL, or leave it out")  # such as an unset shell variable
    return db


Database = Annotated[str | None, setting("db", "--db", metavar="URL", callback=_not_empty)]
JudgeSpec = Annotated[str | None, setting("judge", "--judge", "-j", metavar="SPEC", autocompletion=completion.judges)]


AdvocateSpec = Annotated[
    str | None,
    option(
        "The advocate in debates: llm:MODEL[@URL], scripted or none.  [default: the judge's model]",
        metavar="SPEC",
        autocompletion=completion.advocates,
    ),
]
ItemFile = Annotated[
    Path,
    argument(
        "A .txt, .csv, .tsv, .json, .jsonl or .parquet file, a folder of text files, or - for standard input.",
        metavar="ITEMS",
    ),
]
TournamentId = Annotated[
    str | None,
    argument(
        "The id of a tournament.  [default: the newest]", metavar="TOURNAMENT", autocompletion=completion.tournaments
    ),
]
TournamentOption = Annotated[
    str | None,
    option("The id of a tournament.  [default: the newest]", "-t", metavar="ID", autocompletion=completion.tournaments),
]
Json = Annotated[bool, option("Print one JSON value, and nothing else on standard output.", "--json")]
Elo = Annotated[bool, option("Show the running Elo, even where it misleads because opponents were chosen to match.")]
ByElo = Annotated[bool, option("Rank by the running Elo instead of the strength.")]
Rows = Annotated[int | None, option("Show at most N rows.", min=1)]
Limit = Annotated[int, option("Show at most N rows.", "-n", min=1)]
Offset = Annotated[int, option("Skip N rows: the next page.", min=0)]
Quiet = Annotated[bool, option("Show no progress.", "-q")]
Seed = Annotated[int | None, option("Makes a run reproducible.  [default: random]", min=0)]
BoardFile = Annotated[Path | None, option("Also write the board: .json, .csv or .html.", "-o")]
Configuration = Annotated[Path | None, option("Parameters of the tournament: a .toml or .json file.", "--config")]
Assignments = Annotated[
    list[str] | None,
    option("A parameter, such as scheduling.matches_per_round=20; repeatable.", "--set", metavar="NAME=VALUE"),
]
ENCODING = option("Encoding of text files, such as cp1252.  [default: UTF-8 or UTF-16]", metavar="NAME")
Encoding = Annotated[str | None, ENCODING]
By = Annotated[str, option("Who does it, for the record.", metavar="NAME")]
Reason = Annotated[str, option("The reason, which is recorded.", metavar="TEXT")]
Yes = Annotated[bool, option("Do not ask first.", "-y")]
Price = Annotated[
    tuple[float, float] | None,
    option("US dollars per million tokens sent and received, for an unlisted model.", metavar="IN OUT"),
]
Rubric = Annotated[str | None, option("A rubric, as for `tournament new`.", metavar="FILE|NAMES")]


def db_url(db: str | None) -> str:
    """The ledger's file or URL: the option, else the setting."""
    return db or settings().db


@dataclass(frozen=True, kw_only=True, slots=True)
class Output:
    """How a command prints its value."""

    as_json: Json = False

    def show(
        self,
        value: Value,
        text: "Callable[[Value], Iterable[str | Table[Any]]]",
        *,
        values: Callable[[Value], object] | None = None,
    ) -> None:
        """Print a value as JSON, or the lines and tables that show it to people.

        Args:
            value: The value.
            text: Makes the lines and tables.
            values: Makes the value for JSON; the value itself by default.
        """
        if self.as_json:
            print_json(value if values is None else values(value))
        else:
            from paragone.cli.tables import show

            show(*text(value))

    def say(self, values: object, *lines: str) -> None:
        """Print values as JSON, or the lines that say them."""
        self.show(values, lambda _: lines)

    def draw(
        self, value: Value, draw: Callable[[Value], None], *, values: Callable[[Value], object] | None = None
    ) -> None:
        """Print a value as JSON, or have it drawn by a function that lays it out for the terminal itself."""
        if self.as_json:
            print_json(value if values is None else values(value))
        else:
            draw(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Created:
    """A new tournament in a ledger."""

    seed: Seed = None
    name: Annotated[str | None, option("Name of the tournament; its id is the name and a number.")] = None
    db: Database = None

    @property
    def url(self) -> str:
        """The ledger's file or URL."""
        return db_url(self.db)

    def values(self, items: Path) -> "dict[str, Any]":
        """The options as ``Tournament.create`` takes them; its name is that of the file of items by default."""
        return {"seed": self.seed, "name": self.name or items.stem, "db": self.url}


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """A tournament of a ledger."""

    tournament: TournamentId = None
    db: Database = None

    @property
    def url(self) -> str:
        """The ledger's file or URL."""
        return db_url(self.db)

    @contextmanager
    def opened(self, *, judge: str | None = None, advocate: str | None = None) -> "Iterator[Tournament]":
        """The tournament, open."""
        from paragone.tournaments.tournament import Tournament

        with Tournament.open(self.url, self.tournament, judge=judge, advocate=advocate) as tournament:
            yield tournament


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredByOption(Stored):
    """A tournament of a ledger, named by an option since the argument is something else."""

    tournament: TournamentOption = None


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryStore:
    """The store of a folder."""

    root: Annotated[Path, option("The folder; its store is searched from here upwards.", "-C", metavar="DIR")] = Path()
    store: Annotated[Path | None, option("The store.  [default: .paragone/ in the folder]", metavar="DIR")] = None

    @contextmanager
    def opened(self) -> "Iterator[Memory]":
        """The memory, in a session that continues those of earlier commands.

        Raises:
            NotFound: If there is no store, saying how to create one.
        """
        from paragone.memory import Memory

        with Memory.open(self.root, store=self.store, resume=True) as memory:
            yield memory
            if memory.components.rebuild_reason:
                note(f"all ratings were recomputed, since {memory.components.rebuild_reason}")


# ``TableOptions`` has the same fields as keywords of a call; these are options, with help.
@dataclass(frozen=True, kw_only=True, slots=True)
class Columns:
    """How the table of items is read."""

    id_column: Annotated[str | None, option("Column of the ids.")] = None
    text_column: Annotated[str | None, option("Column of the texts.")] = None
    encoding: Encoding = None

    def as_options(self) -> "TableOptions":
        """The same as a mapping."""
        return {"id_column": self.id_column, "text_column": self.text_column, "encoding": self.encoding}

    def file(self, items: Path) -> Path:
        """The file or folder of items; a copy of standard input for ``-``, where named columns are those of a table."""
        from paragone.intake.items import item_ending
        from paragone.intake.standard_input import readable, table_ending

        is_table = self.id_column is not None or self.text_column is not None
        return readable(items, table_ending if is_table else item_ending)

    def read(self, items: Path, *, without_texts: bool = False, fewest: int = 2) -> "tuple[Item, ...]":
        """The items of a file or a folder, those without a text too if they may be completed later."""
        from paragone.intake.items import read_items

        return read_items(items, **self.as_options(), without_texts=without_texts, fewest=fewest)


@dataclass(frozen=True, kw_only=True, slots=True)
class SideOptions:
    """What is taken into account beside the answers."""

    use: Annotated[
        list[str] | None,
        option(
            "What may count beside the answers, as far as these bear it out: columns of the items' table, with commas; "
            "traits of the texts (length, ..., or all: traits); embeddings; reviews; or none.",
            metavar="NAMES",
        ),
    ] = None
    adjust_for: Annotated[
        list[str] | None,
        option("What must not count, such as length: its effect is taken out of the ratings.", metavar="NAMES"),
    ] = None
    reviews: Annotated[
        Path | None, option("Reviews of the items (item, score from 0 to 1), for --use reviews.", metavar="FILE")
    ] = None
    gold: Annotated[
        Path | None,
        option("Pairs whose better item is known (a, b, winner): they tell which judges are right.", metavar="FILE"),
    ] = None
    suggest_gold: Annotated[
        int,
        option("Suggest N pairs whose true answer would tell most, for a person to decide.", metavar="N", min=0),
    ] = 0
    prior: Annotated[
        Path | None,
        option(
            "What a model holds of the items, which the votes correct: ratings (id, rating), a board or the model's "
            "votes.",
            metavar="FILE",
        ),
    ] = None

    @property
    def used(self) -> tuple[str, ...]:
        """The names of what may count."""
        return tuple(name for names in self.use or () for name in names.split(","))

    @property
    def adjusted(self) -> tuple[str, ...]:
        """The names of what must not count."""
        return tuple(name for names in self.adjust_for or () for name in names.split(","))


@dataclass(frozen=True, kw_only=True, slots=True)
class Background:
    """What judges see beside the texts."""

    goal: Annotated[str | None, option("The research goal.", metavar="TEXT")] = None
    preferences: Annotated[list[str] | None, option("What is preferred among equals; repeatable.", metavar="TEXT")] = (
        None
    )
    constraints: Annotated[list[str] | None, option("What must hold; repeatable.", metavar="TEXT")] = None
    rubric: Annotated[
        str | None,
        option(
            "Criteria with definitions, scales and weights: a .toml or .json file or a table; or names of known ones, "
            "with commas.",
            metavar="FILE|NAMES",
        ),
    ] = None
    attributes: Annotated[
        Path | None, option("Attributes of the items: a table with a column of ids, and one for each attribute.")
    ] = None
    evidence: Annotated[
        Path | None, option("What the items cite: a table with columns item and evidence, a row for each source.")
    ] = None
    dossier: Annotated[
        Path | None, option("All of this in a .toml or .json file; it also takes insights and max_tokens.")
    ] = None

    @property
    def values(self) -> "dict[str, Any]":
        """The options as ``Tournament.create`` takes them."""
        return shallow(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What a tournament may spend."""

    budget: Annotated[
        int | None, option("Maximum number of comparisons.  [default: what the pairing needs]", "-n", min=1)
    ] = None
    max_cost: Annotated[float | None, option("Maximum cost in US dollars.", min=0.0, metavar="USD")] = None
    max_tokens: Annotated[int | None, option("Maximum number of tokens, sent and received.", min=1)] = None
    price: Price = None

    @property
    def values(self) -> "dict[str, Any]":
        """The options as ``Tournament.create`` takes them."""
        return shallow(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class Calls:
    """How a run makes its calls."""

    concurrency: Annotated[int | None, setting("concurrency")] = None
    per_minute: Annotated[float | None, option("Maximum number of judge calls per minute.", min=0.001, metavar="N")] = (
        None
    )
    timeout: Annotated[float | None, setting("timeout", metavar="SECONDS")] = None
    attempts: Annotated[int | None, setting("attempts")] = None

    def pace(self) -> "CallOptions":
        """How calls are made, from the options and the settings."""
        from paragone.judges.call_options import CallOptions

        usual = settings()
        return CallOptions(
            concurrency=self.concurrency or usual.concurrency,
            per_minute=self.per_minute,
            timeout=self.timeout or usual.timeout,
            attempts=self.attempts or usual.attempts,
            patience=usual.patience,
            spool=None if usual.spool is None else Path(usual.spool),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Judging(Calls):
    """How a run makes its calls, and which processes make them."""

    workers: Annotated[
        bool,
        option(
            "Have workers ask the judge: on PostgreSQL those that `paragone worker` started, and --judge is a name on "
            "their list; else processes of this machine."
        ),
    ] = False
    processes: Annotated[
        int | None,
        option("With --workers and a ledger in a file: how many processes.  [default: one a core]", min=1),
        OnlyWith("--workers"),
    ] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOptions(Judging):
    """How a run makes its calls and shows its board."""

    as_json: Json = False
    out: BoardFile = None
    rows: Rows = None
    quiet: Quiet = False

    def pace(self) -> "CallOptions":
        """How calls are made, from the options and the settings.

        Raises:
            InvalidConfig: If the board cannot be written to the file, before anything is asked.
        """
        if self.out is not None:
            from paragone.presenting.board_files import check  # loads what draws

            check(self.out)
        return Calls.pace(self)
