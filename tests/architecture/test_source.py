"""What holds for every module, whatever it is about. Each test lists all offenders."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "handler", "service", "engine", "misc"}
LONGEST_FUNCTION = 60
LONGEST_FILE = 500

Modules = dict[str, ast.Module]


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements and handlers within, at any depth; no expression, of which there are ten times as many."""
    for block in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(node, block, ()):
            yield inner
            yield from statements(inner)


def nodes(modules: Modules, *kinds: type[ast.stmt | ast.ExceptHandler]) -> Iterator[tuple[str, ast.AST]]:
    for name, tree in modules.items():
        yield from ((f"{name}:{node.lineno}", node) for node in statements(tree) if isinstance(node, kinds))


def test_statements_are_found_at_any_depth() -> None:
    tree = ast.parse("""
try:
    if a: b = lambda: c
    else:
        for d in e:
            with f: pass
        else:
            match g:
                case h: assert h
except i: import j
else: from k import l
finally:
    async def m():
        class n:
            while o: return
""")
    assert Counter(map(type, statements(tree))) == Counter(
        type(node) for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case)
    )


def test_there_is_something_to_look_at(modules: Modules) -> None:
    assert {"errors.py", "domain/__init__.py", "domain/match.py"} <= set(modules)


def test_every_module_says_what_it_is_for(modules: Modules) -> None:
    assert [name for name, tree in modules.items() if not ast.get_docstring(tree)] == []


def test_functions_are_short(modules: Modules) -> None:
    # a step of a migration is a list of statements that is never touched again
    living = {name: tree for name, tree in modules.items() if "/step_" not in name}
    functions = nodes(living, ast.FunctionDef, ast.AsyncFunctionDef)
    long = {
        f"{place} {function.name}": length
        for place, function in functions
        if (length := _lines(function, is_command=place.startswith("cli/"))) > LONGEST_FUNCTION
    }
    assert long == {}


def _lines(function: ast.FunctionDef, *, is_command: bool) -> int:
    """Lines of a function without its docstring; of a command without its options, which are a list and no code."""
    body = function.body[ast.get_docstring(function) is not None :]
    code = body[-1].end_lineno - body[0].lineno + 1 if body else 0
    return code if is_command else code + function.body[0].lineno - function.lineno


def test_files_are_short(lengths: dict[str, int]) -> None:
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_names_say_what_a_thing_is(modules: Modules) -> None:
    parts = [(name, part) for name in modules for part in re.split(r"[/_.]", name.removesuffix(".py"))]
    classes = [
        (place, word.lower())
        for place, node in nodes(modules, ast.ClassDef)
        for word in re.findall(r"[A-Z][a-z]+", node.name)
    ]
    assert [(place, word) for place, word in parts + classes if word in FORBIDDEN_NAMES] == []


def test_nothing_is_validated_by_assert(modules: Modules) -> None:
    assert [place for place, _ in nodes(modules, ast.Assert)] == []


def test_no_exception_is_swallowed_blindly(modules: Modules) -> None:
    def blind(handler: ast.ExceptHandler) -> bool:
        caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {getattr(node, "id", None) for node in caught}
        raises = any(isinstance(node, ast.Raise) for node in ast.walk(handler))
        return handler.type is None or (bool(names & {"Exception", "BaseException"}) and not raises)

    assert [place for place, handler in nodes(modules, ast.ExceptHandler) if blind(handler)] == []


def test_no_test_double_lives_in_the_source(modules: Modules) -> None:
    imported = [
        (place, name)
        for place, node in nodes(modules, ast.Import, ast.ImportFrom)
        for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
    ]
    doubles = [place for place, name in imported if re.search(r"\bmock\b|^pytest\b|^hypothesis\b", name)]
    assert [place for place in doubles if not place.startswith("pytest_plugin.py:")] == []


def test_packages_hold_names_only(modules: Modules) -> None:
    assert [
        f"{name}: {ast.unparse(statement).splitlines()[0]}"
        for name, tree in modules.items()
        if name.endswith("__init__.py")
        for statement in tree.body
        if not _is_name_only(statement, top=name == "__init__.py")
    ] == []


def _is_name_only(statement: ast.stmt, *, top: bool) -> bool:
    """Docstring, import, ``__all__``, and what makes imports lazy."""
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        name = ast.unparse(targets[0])
        return name == "__all__" or (top and (name == "TYPE_CHECKING" or name.startswith("_")))
    if isinstance(statement, ast.FunctionDef):
        return top and statement.name in {"__getattr__", "__dir__"}
    is_type_checking = isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Import | ast.ImportFrom) or is_text or is_type_checking


def test_names_on_demand_come_from_where_types_say(modules: Modules) -> None:
    lazy = 0
    for name, tree in modules.items():
        for statement in tree.body:
            if name.endswith("__init__.py") and isinstance(statement, ast.If) and statement.orelse:
                (assignment,) = statement.orelse
                assert isinstance(assignment, ast.Assign), name
                assert isinstance(assignment.value, ast.Call), name
                package = "paragone." + name.removesuffix("/__init__.py").replace("/", ".")
                homes = ast.literal_eval(assignment.value.args[1])
                loaded = {
                    (package + home if home.startswith(".") else home, each)
                    for home, defined in homes.items()
                    for each in defined.split()
                }
                typed = {
                    (node.module, each.name)
                    for node in statement.body
                    if isinstance(node, ast.ImportFrom)
                    for each in node.names
                }
                assert loaded == typed, name
                lazy += 1
    assert lazy >= 15


def test_lists_of_names_are_sorted(modules: Modules) -> None:
    for name, tree in modules.items():
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
                names = list(ast.literal_eval(statement.value))
                assert names == sorted(set(names), key=_constants_then_classes_then_functions), name


def _constants_then_classes_then_functions(name: str) -> tuple[bool, bool, str]:
    return not name.isupper(), name[0].islower(), name


def test_every_package_names_what_it_offers(modules: Modules) -> None:
    silent = [
        name
        for name, tree in modules.items()
        if name.endswith("__init__.py")
        and len(tree.body) > 1
        and not any("__all__" in ast.unparse(statement) for statement in tree.body)
    ]
    assert silent == []


def test_the_ledger_is_a_facade(modules: Modules) -> None:
    """A method delegates: at most five statements, no loop, and never ``self`` as an argument."""
    classes = [node for _, node in nodes(modules, ast.ClassDef) if node.name == "Ledger"]
    if not classes:
        pytest.skip("there is no ledger yet")
    methods = [node for node in classes[0].body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert methods
    assert [method.name for method in methods if not _delegates(method)] == []


def test_the_system_of_agents_is_a_facade(modules: Modules) -> None:
    """Its methods delegate as the ledger's do; besides, none is private, computes anything or knows the database."""
    nearby = {name: tree for name, tree in modules.items() if re.match(r"agents/\w+\.py|closing\.py", name)}
    of_module = {
        node.name: name for name, tree in nearby.items() for node in tree.body if isinstance(node, ast.ClassDef)
    }
    system = _class(modules["agents/elo_system.py"], "EloSystem")
    themes = [_class(modules[of_module[ast.unparse(base)]], ast.unparse(base)) for base in system.bases]
    classes = [system, *themes]
    methods = [node for of in classes for node in of.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert {"record_match", "get_leaderboard", "update_relationship", "close"} <= {method.name for method in methods}
    assert [method.name for method in methods if not _delegates(method)] == []
    assert [method.name for method in methods if re.match(r"_(?!_)", method.name)] == []
    assert [method.name for method in methods if _computes(method)] == []
    named = [
        node.module or ""
        for of in classes
        for node in ast.walk(modules[of_module[of.name]])
        if isinstance(node, ast.ImportFrom)
    ]
    assert [module for module in named if module.startswith(("sqlalchemy", "paragone.ledger."))] == []
    bases = {ast.unparse(base) for theme in themes for base in theme.bases}
    assert bases == {"PoolMethods"}, "two deep, and no deeper"
    assert _class(modules["agents/agent_pool.py"], "PoolMethods").bases == []


def _class(tree: ast.Module, name: str) -> ast.ClassDef:
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def test_the_memory_is_a_facade(modules: Modules) -> None:
    """Its methods delegate as those of the system of agents do; none knows the database or the form of the logs."""
    parts = ["memory/memory.py"]
    classes = [node for name in parts for node in modules[name].body if isinstance(node, ast.ClassDef)]
    methods = [node for of in classes for node in of.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert {"search", "read", "cite", "end_session", "board", "pack", "close"} <= {method.name for method in methods}
    assert [method.name for method in methods if not _delegates(method)] == []
    assert [method.name for method in methods if re.match(r"_(?!_)", method.name)] == []
    assert [method.name for method in methods if _computes(method)] == []
    named = [
        node.module or "" for name in parts for node in ast.walk(modules[name]) if isinstance(node, ast.ImportFrom)
    ]
    assert [module for module in named if module.startswith(("sqlite3", "paragone.memory.store.log_"))] == []
    assert [of.name for of in classes if of.bases] == []
    public = [method.name for method in methods if not method.name.startswith("_")]
    assert len(public) <= 36
    below = [name for name in modules if name.startswith("memory/") and name not in parts]
    knowing = [
        name
        for name in below
        for node in ast.walk(modules[name])
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("paragone.memory.memory")
    ]
    assert knowing == ["memory/__init__.py"], "nothing below knows that it exists"


def _computes(method: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.BinOp | ast.AugAssign | ast.UnaryOp) for line in method.body for node in ast.walk(line)
    )


def _delegates(method: ast.FunctionDef) -> bool:
    statements = [node for node in ast.walk(method) if isinstance(node, ast.stmt)]
    count = len(statements) - 1 - (ast.get_docstring(method) is not None)
    loops = any(isinstance(node, ast.For | ast.While | ast.comprehension) for node in ast.walk(method))
    calls = [node for node in ast.walk(method) if isinstance(node, ast.Call)]
    passes_itself = any(
        isinstance(argument, ast.Name) and argument.id == "self"
        for call in calls
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]
    )
    return count <= 5 and not loops and not passes_itself


TEXTS = ("src", "tests", "docs", "examples", "scripts", "benchmarks", "requirements", ".ci")
FILES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "mkdocs.yml", "pyproject.toml", "conftest.py")
UNWANTED = {
    "a package registry's host, which is up to the machine": r"pypi" + r"\.org|python" + r"hosted|npmjs" + r"\.org",
    "a folder of one machine": r"/" + r"work/|/" + r"root/|/home/[a-z]",
    "work that is left to do": r"(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b",
}


@cache
def texts() -> tuple[tuple[str, str], ...]:
    return tuple(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    top = Path(__file__).parents[2]
    folders = (path for folder in TEXTS for path in (top / folder).rglob("*"))
    for path in [*folders, *(top / name for name in FILES)]:
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in {".db", ".parquet", ".gz", ".png"}:
            yield path.relative_to(top).as_posix(), path.read_text("utf-8")


@pytest.mark.parametrize("what", UNWANTED)
def test_no_text_names(what: str) -> None:
    found = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        for name, text in texts()
        for match in re.finditer(UNWANTED[what], text)
    ]
    assert found == []
