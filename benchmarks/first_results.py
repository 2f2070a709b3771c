"""From an empty environment to a first result: six new users, each beside the peer's own way.

    .venv/bin/python benchmarks/first_results.py [--users NAME ...] [--repeat N] [--home DIR] [--keep DIR] [--json]

What a user writes is in ``benchmarks/recipes/USER``: the commands in the ``.sh`` file, and the programs or
configuration that they name. Lines are those of these files that are not blank, and one for installing. Each way gets
an environment of its own: a virtual environment that pip fills without its cache, or a folder that npm fills. The wheel
of paragone is built from this checkout. Models are one scripted endpoint on loopback, whose answers are known, so that
a first result can be right or wrong. CPU seconds are user and system of the whole process; the endpoint's are not
among them. Needs a network for the packages, three gigabytes on disk, and the folder that ``PARAGONE_DATA`` names.
"""

import argparse
import csv
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
from scripted_endpoint import Model, ScriptedEndpoint  # noqa: E402

DATA = Path(os.environ.get("PARAGONE_DATA", HERE.parents[1] / "shared" / "data"))
QUESTIONS = tuple((number * 37 % 90 + 7, number * 53 % 80 + 3) for number in range(200))
SLOGANS = (
    "Water boils here",
    "A kettle that boils",
    "Boils a litre in two minutes",
    "Two minutes, one litre, done",
    "Tea in two minutes",
    "Hot water, fast",
    "The kettle of tomorrow",
    "Thermal excellence for all",
    "Synergy in every cup",
    "Leveraging heat solutions",
    "Disrupting the boil space",
    "Holistic aqueous journeys",
)
"""The clearest in the middle of the first half; how clear each is, by its place from the fifth."""
CLEARNESS = {slogan: -abs(place - 4) for place, slogan in enumerate(SLOGANS)}


@dataclass(frozen=True, kw_only=True)
class Way:
    """How a user comes to a first result.

    Attributes:
        user: What for; the folder of the recipe.
        tool: With what.
        packages: What is installed; ``paragone`` stands for this checkout, perhaps with an extra.
        files: The files that the user writes.
        right: What the output shows if the result is right, as a pattern.
        gives: What a result has, and what it lacks.
        npm: Whether npm installs it.
        repeat: How often it is run again, at most.
    """

    user: str
    tool: str
    packages: Sequence[str]
    files: Sequence[str]
    right: str
    gives: str
    npm: bool = False
    repeat: int = 5


WAYS = (
    Way(
        user="arena",
        tool="paragone",
        packages=("paragone",),
        files=("paragone.sh",),
        right=r"\n +1 .* GPT 4\s",
        gives="intervals of ratings and ranks, drift of the voters",
    ),
    Way(
        user="arena",
        tool="arena-rank",
        packages=("arena-rank", "pandas"),
        files=("leaderboard.py", "leaderboard.sh"),
        right=r"variances\n +GPT 4 ",
        gives="intervals of ratings, none of ranks",
    ),
    Way(
        user="notebook",
        tool="paragone",
        packages=("paragone",),
        files=("board.py", "board.sh"),
        right=r"\n +1 .* GPT 4\s",
        gives="intervals of ratings and ranks",
    ),
    Way(
        user="notebook",
        tool="evalica",
        packages=("evalica", "pandas"),
        files=("scores.py", "scores.sh"),
        right=r"GPT 4 ",
        gives="intervals of scores, by bootstrap",
        repeat=0,
    ),
    Way(
        user="prompts",
        tool="paragone",
        packages=("paragone",),
        files=("outputs.py", "outputs.sh"),
        right=r"new is better than old",
        gives="a verdict with bounded errors, both orders; resumes",
    ),
    Way(
        user="prompts",
        tool="promptfoo",
        packages=("promptfoo",),
        files=("promptfooconfig.yaml", "promptfoo.sh"),
        right=r"(?i)passed",
        gives="each test's better output, in one order; counts in its viewer, no error",
        npm=True,
        repeat=3,
    ),
    Way(
        user="evaluation",
        tool="paragone in Inspect",
        packages=("inspect-ai", "openai", "paragone"),
        files=("preferred_sums.py", "preferred_sums.sh"),
        right=r"mean\s+0\.33",
        gives="probability to beat the target, both orders, with its error",
        repeat=3,
    ),
    Way(
        user="evaluation",
        tool="Inspect",
        packages=("inspect-ai", "openai"),
        files=("graded_sums.py", "graded_sums.sh"),
        right=r"accuracy\s+0\.66",
        gives="share of right answers by one call each, with its error",
        repeat=3,
    ),
    Way(
        user="memory",
        tool="paragone",
        packages=("paragone[memory]",),
        files=("paragone.sh",),
        right=r"compare\.md",
        gives="passages by words and meaning; learns from use, on record",
    ),
    Way(
        user="memory",
        tool="bm25s",
        packages=("bm25s",),
        files=("search.py", "search.sh"),
        right=r"compare\.md",
        gives="files by words; nothing is kept",
    ),
    Way(
        user="texts",
        tool="paragone",
        packages=("paragone",),
        files=("paragone.sh",),
        right=r"\n +1 .* Tea in two minutes",
        gives="intervals of ratings and ranks, position bias; resumes",
    ),
    Way(
        user="texts",
        tool="openai and choix",
        packages=("openai", "choix"),
        files=("all_pairs.py", "all_pairs.sh"),
        right=r"^\S+ Tea in two minutes",
        gives="strengths; no interval, all pairs asked, an interruption loses all",
    ),
    Way(
        user="texts",
        tool="one prompt with openai",
        packages=("openai",),
        files=("one_prompt.py", "one_prompt.sh"),
        right=r"^Tea in two minutes",
        gives="an order, nothing else",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Took:
    """What a process took.

    Attributes:
        cpu: CPU seconds, user and system, of it and of what it started.
        wall: Seconds by the clock.
        output: What it printed.
        code: Its exit code.
    """

    cpu: float
    wall: float
    output: str
    code: int


def run(command: Sequence[str], folder: Path, environment: dict[str, str]) -> Took:
    """Run a command to its end."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(cpu=cpu, wall=time.monotonic() - start, output=done.stdout, code=done.returncode)


def equation(text: str) -> bool | None:
    """Whether the last sum in a text is right; None if there is none."""
    sums = re.findall(r"(\d+) \+ (\d+) = (\d+)", text)
    return int(sums[-1][0]) + int(sums[-1][1]) == int(sums[-1][2]) if sums else None


def quality(text: str) -> float:
    """How good a text is, to the judge."""
    clear = [value for slogan, value in CLEARNESS.items() if slogan in text]
    return float(clear[0]) if clear else float(equation(text) or 0)


def answer(user: str) -> str:
    """The model's answer to a sum: one in three is wrong, one in ten where it is to think step by step."""
    a, b = map(int, re.findall(r"(\d+) \+ (\d+)", user)[-1])
    draw = (a * 7919 + b * 104729) % 1000
    return f"{a} + {b} = {a + b + (draw < (100 if 'step by step' in user else 333))}"


def says(system: str, user: str) -> str | None:
    """What the endpoint says to prompts that are not paragone's."""
    if "<Text index" in system:  # promptfoo's select-best
        texts = re.findall(r'<Text index="(\d+)">\n(.*?)\n</Text>', system, re.DOTALL)
        return str(max(texts, key=lambda text: quality(text[1]))[0])
    if "GRADE" in user:  # Inspect's grader
        return f"GRADE: {'C' if equation(user.partition('[Submission]')[2].partition('[Criterion]')[0]) else 'I'}"
    if pair := re.search(r"\nA: (.*)\nB: (.*)", user):
        return "A" if quality(pair[1]) >= quality(pair[2]) else "B"
    if user.startswith("Order these"):
        return "\n".join(sorted(user.splitlines()[1:], key=quality, reverse=True))
    return answer(user) if "What is" in user and "[BEGIN" not in user else None


def provide(user: str, folder: Path) -> None:
    """What the user has at the beginning."""
    if user in {"arena", "notebook"}:
        with (DATA / "llmfao" / "crowd-comparisons.csv").open() as file, (folder / "battles.csv").open("w") as battles:
            writer = csv.writer(battles)
            writer.writerow(("model_a", "model_b", "winner"))
            sides = {"left": "model_a", "right": "model_b", "tie": "tie"}
            writer.writerows((row["left"], row["right"], sides[row["winner"]]) for row in csv.DictReader(file))
    questions = [f"What is {a} + {b}?" for a, b in QUESTIONS]
    if user == "prompts":
        (folder / "questions.txt").write_text("".join(f"{question}\n" for question in questions))
        (folder / "questions.csv").write_text("question\n" + "".join(f"{question}\n" for question in questions))
    if user == "evaluation":
        rows = (f"{question},{a} + {b} = {a + b}\n" for question, (a, b) in zip(questions, QUESTIONS, strict=True))
        (folder / "sums.csv").write_text("input,target\n" + "".join(list(rows)[:50]))
    if user == "memory":
        for page in (HERE.parent / "docs").glob("*.md"):
            shutil.copy(page, folder)
    if user == "texts":
        (folder / "texts.txt").write_text("".join(f"{slogan}\n" for slogan in sorted(SLOGANS)))


def install(way: Way, place: Path, wheel: Path) -> Took:
    """Make the way's environment."""
    environment = dict(os.environ)
    if way.npm:
        place.mkdir()
        return run(
            ("npm", "install", "--no-audit", "--no-fund", "--prefix", str(place), *way.packages), place, environment
        )
    made = run((sys.executable, "-m", "venv", str(place)), place.parent, environment)
    packages = [re.sub(r"^(paragone(\[\w+\])?)$", rf"\1 @ {wheel.as_uri()}", package) for package in way.packages]
    pip = (str(place / "bin" / "pip"), "install", "-q", "--no-cache-dir", "--disable-pip-version-check", *packages)
    filled = run(pip, place, environment)
    return Took(cpu=made.cpu + filled.cpu, wall=made.wall + filled.wall, output=filled.output, code=filled.code)


def megabytes(place: Path) -> int:
    """What a folder takes on disk."""
    return round(
        sum(file.stat().st_size for file in place.rglob("*") if file.is_file() and not file.is_symlink()) / 1e6
    )


def lines(way: Way) -> int:
    """Lines that the user writes, with the one that installs."""
    texts = ((HERE / "recipes" / way.user / name).read_text() for name in way.files)
    return 1 + sum(bool(line.strip()) for text in texts for line in text.splitlines())


@contextmanager
def wheel_of_checkout(home: Path) -> Iterator[Path]:
    """The wheel of paragone, built from this checkout."""
    uv = ("sh", str(HERE.parent / "scripts" / "uv.sh"))
    subprocess.run(
        (
            *uv,
            "build",
            "--quiet",
            "--wheel",
            "--no-build-isolation",
            "--python",
            sys.executable,
            "--out-dir",
            str(home / "dist"),
        ),
        check=True,
    )
    yield next((home / "dist").glob("*.whl"))


def first_result(way: Way, place: Path, home: Path, url: str) -> Took:
    """Run the commands of a way in a new folder, as a user with the right key would."""
    folder = Path(tempfile.mkdtemp(dir=home))
    provide(way.user, folder)
    for name in way.files:
        shutil.copy(HERE / "recipes" / way.user / name, folder)
    program = next(name for name in way.files if name.endswith(".sh"))
    path = place / "node_modules" / ".bin" if way.npm else place / "bin"
    environment = {
        "PATH": f"{path}:{os.environ['PATH']}",
        "HOME": str(home),
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": url,
        "SCRIPTED_API_KEY": "none",
        "SCRIPTED_BASE_URL": url,
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_CACHE_ENABLED": "false",
    }
    took = run(("sh", "-e", program), folder, environment)
    shutil.rmtree(folder)
    return took


def environment_of(way: Way, keep: Path, wheel: Path) -> tuple[Path, dict[str, float]]:
    """The way's environment, made anew unless it is kept, and what making it took."""
    place = keep / re.sub(r"\W+", "_", " ".join(way.packages))
    facts = place.with_suffix(".json")
    if not facts.exists():
        took = install(way, place, wheel)
        if took.code:
            raise SystemExit(f"{way.tool}: not installed: {took.output[-500:]}")
        facts.write_text(json.dumps({"cpu": took.cpu, "wall": took.wall, "megabytes": megabytes(place)}))
    return place, json.loads(facts.read_text())


def measure(way: Way, home: Path, keep: Path, wheel: Path, repeat: int) -> dict[str, object]:
    """The row of a way."""
    place, made = environment_of(way, keep, wheel)
    with ScriptedEndpoint(Model(says=says, quality=quality)) as endpoint:
        first, *again = [first_result(way, place, home, endpoint.url) for _ in range(1 + min(repeat, way.repeat))]
        calls = endpoint.count.requests // (1 + len(again))
    is_right = first.code in {0, 100} and bool(re.search(way.right, first.output))
    if not is_right:
        print(f"{way.user}, {way.tool}: exit {first.code}\n{first.output[-3000:]}", file=sys.stderr)
    return {
        "user": way.user,
        "with": way.tool,
        "lines": lines(way),
        "install, CPU s": round(made["cpu"], 1),
        "install, s": round(made["wall"]),
        "MB": round(made["megabytes"]),
        "first run, CPU s": round(first.cpu, 2),
        "first run, s": round(first.wall, 1),
        "later runs, CPU s": round(statistics.median(took.cpu for took in again), 2) if again else "",
        "calls": calls or "",
        "right": "yes" if is_right else "no",
        "what it gives": way.gives,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--users", nargs="+", choices=sorted({way.user for way in WAYS}), help="only these")
    parser.add_argument("--repeat", type=int, default=3, help="runs after the first")
    parser.add_argument("--home", type=Path, help="where users work; deleted at the end")
    parser.add_argument("--keep", type=Path, help="where environments are kept for the next run")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    options = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"{DATA} is not there: PARAGONE_DATA names the folder of the data")
    with tempfile.TemporaryDirectory(dir=options.home) as folder, wheel_of_checkout(Path(folder)) as wheel:
        rows = []
        for way in WAYS:
            if options.users is None or way.user in options.users:
                rows.append(measure(way, Path(folder), options.keep or Path(folder), wheel, options.repeat))
                print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(map(str, row.values())) + " |")


if __name__ == "__main__":
    main()
