"""Which package imports which, and what an import costs."""

import ast
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from paragone import Memory

TOP = Path(__file__).parents[2]
HEAVY = (
    "numpy",
    "scipy",
    "pandas",
    "sqlalchemy",
    "alembic",
    "pydantic",
    "openai",
    "typer",
    "rich",
    "jinja2",
    "xllamacpp",
    "procrastinate",
    "numba",
    "llvmlite",
    "psycopg",
    "opentelemetry",
    "structlog",
)


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_contracts_between_packages_hold() -> None:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_that_benchmarks_examples_and_scripts_import_exist() -> None:
    files = [path for folder in ("benchmarks", "examples", "scripts") for path in (TOP / folder).rglob("*.py")]
    imports = {
        (f"{path.relative_to(TOP)}:{node.lineno}", node.module, name.name)
        for path in files
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "paragone"
        for name in node.names
    }
    assert len(imports) > 100
    missing = [
        (where, module, name)
        for where, module, name in sorted(imports)
        if find_spec(module) is None
        or (
            not module.startswith("paragone.integrations.")  # which need packages that are not here
            and (not hasattr(import_module(module), name) and find_spec(f"{module}.{name}") is None)
        )
    ]
    assert missing == []


def test_importing_what_people_begin_with_loads_nothing_heavy() -> None:
    """One after the other: where commands begin, the package and what ranks, then what rates agents and content."""
    beginnings = {
        "from paragone.__main__ import main": (*HEAVY, "asyncio", "dataclasses", "typing"),
        "from paragone import arank, rank": (*HEAVY, "asyncio", "dataclasses"),
        "from paragone.agents import EloSystem": HEAVY,
        "from paragone.memory import Memory": HEAVY,
    }
    loaded = python(f"""
import sys
for statement, unneeded in {beginnings}.items():
    exec(statement)
    print(statement, [name for name in unneeded if name in sys.modules])
""")
    assert loaded.splitlines() == [f"{statement} []" for statement in beginnings]


def test_commands_of_memory_load_what_they_need(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("needle in the hay")
    with Memory.create(tmp_path) as memory:
        memory.index()
    never = (
        "sqlalchemy",
        "scipy",
        "openai",
        "requests",
        "wordllama",
        "bpe_openai",
        "paragone.domain.tournament_config",
        "paragone.ratings.bradley_terry",
    )
    # one after the other: each may load what the ones before it do, and more
    commands = {
        ("grep", "needle"): (*never, "tokenizers", "numpy"),
        ("pack",): (*never, "tokenizers"),
        ("search", "needle"): never,
    }
    loaded = python(f"""
import contextlib, io, sys
from paragone.cli import app
for words, unneeded in {commands}.items():
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        app(["memory", *words, "-C", {str(tmp_path)!r}])
    if "notes.txt" not in said.getvalue():
        sys.exit(f"nothing was found by {{words}}")
    print(words, [name for name in unneeded if name in sys.modules])
""")
    assert loaded.splitlines() == [f"{words} []" for words in commands]


def test_help_and_small_fits_load_nothing_that_they_do_not_need() -> None:
    """One after the other: the help, a fit in Python, and the command that fits, which opens no ledger."""
    unneeded = {
        "--help": tuple(name for name in HEAVY if name not in {"typer", "rich"}),
        "a small fit": ("scipy", "numba", "numpy.polynomial", "pandas", "pydantic", "sqlalchemy", "openai"),
        "fit": ("scipy", "numba", "sqlalchemy", "openai"),
    }
    loaded = python(f"""
import contextlib, io, sys
import paragone
from paragone.cli import app

def said(*words):
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        app([*words])
    return said.getvalue()

def fit():
    matches = [{{"a": f"i{{n}}", "b": f"i{{n * n % 50}}", "winner": "a"}} for n in range(2, 50) if n * n % 50 != n]
    return paragone.fit(matches).items

steps = {{
    "--help": lambda: "rank" in said("--help"),
    "a small fit": fit,
    "fit": lambda: said("fit", {str(TOP / "examples" / "votes.csv")!r}) and "paragone.cli.board" in sys.modules,
}}
for what, unneeded in {unneeded}.items():
    print(what, bool(steps[what]()), [name for name in unneeded if name in sys.modules])
""")
    assert loaded.splitlines() == [f"{what} True []" for what in unneeded]


def test_ledgers_and_what_plays_on_them_load_what_is_asked_for(tmp_path: Path) -> None:
    """One after the other: a new ledger, its agents and workers, the ledger again, and all that plays a tournament."""
    path = tmp_path / "ledger.db"
    agents, workers = "paragone.ledger.namespaces.agents", "paragone.ledger.namespaces.remote_judging"
    servers = ("alembic", "sqlalchemy.dialects.postgresql")
    sends, columns = ("opentelemetry", "structlog", "requests"), "paragone.ratings.side_information"
    steps = {
        "with Ledger.open(path) as ledger: print(ledger.tournaments.all())": (agents, workers, *servers, *sends),
        "with Ledger.open(path) as ledger: print(ledger.remote_judging.workers())": (agents, *servers, *sends),
        "with Ledger.open(path) as ledger: print(ledger.agents.timeline.__name__)": (*servers, *sends),
        "import paragone.cli.rank, paragone.cli.terminal_run, paragone.judges.stack, paragone.llm.endpoint": sends,
        "import paragone.tournaments.tournament": (*sends, columns),
    }
    loaded = python(f"""
import sys
from paragone.ledger import Ledger
path = {str(path)!r}
for step, unneeded in {steps}.items():
    exec(step)
    print([name for name in unneeded if name in sys.modules])
""")
    assert loaded.splitlines() == ["()", "[]", "[]", "[]", "timeline_of", "[]", "[]", "[]"]


def test_importing_writes_nothing_and_says_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import paragone"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr, list(tmp_path.iterdir())) == ("", "", [])
