"""The judges of a worker or a server: an allow-list of names, each with a spec that stays there."""

import asyncio
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from paragone.domain import Item, Question
from paragone.errors import InvalidConfig, UnknownJudge, UnreadableFile
from paragone.judges.base import Judge, JudgeCard
from paragone.judges.debates.advocate_spec import advocate_like
from paragone.judges.panel_judge import PanelCard
from paragone.judges.spec import open_judge
from paragone.ledger.records import AnnouncedJudge
from paragone.llm import Price

_CARD: TypeAdapter[JudgeCard] = TypeAdapter(PanelCard | JudgeCard)
_USUAL = "word " * 100
"""A text of usual length, for prices."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedJudge:
    """A judge on the list.

    Attributes:
        spec: Its spec, as for ``--judge``.
        price: US dollars per million tokens sent and received; None for the list price.
    """

    spec: str
    price: tuple[float, float] | None = None

    def open(self) -> Judge:
        """The judge.

        Raises:
            UsageError: If it cannot be opened.
        """
        price = None if self.price is None else Price(input_per_million=self.price[0], output_per_million=self.price[1])
        return open_judge(self.spec, price=price)


JudgeList = Mapping[str, ListedJudge]
"""Judges by name."""


def read_judges(path: Path) -> JudgeList:
    """The judges that a TOML file lists: ``NAME = "SPEC"``, or a table with ``spec`` and ``price``.

    Raises:
        UnreadableFile: If it cannot be read.
        InvalidConfig: If it lists none, or an entry is wrong.
    """
    try:
        entries = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{path}: {error}") from error
    if not entries:
        raise InvalidConfig(f'{path} lists no judge; write lines such as: fast = "llm:gpt-5-mini"')
    return {name: _listed(path, name, entry) for name, entry in entries.items()}


def listed_judges(file: Path | None = None, entries: Iterable[str] = ()) -> JudgeList:
    """The judges of a file, and those that are named one by one, which take the place of the file's.

    Args:
        file: As for ``read_judges``; None for none.
        entries: Each ``NAME=SPEC``.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidConfig: If an entry is wrong.
        UsageError: If a judge cannot be opened here, or asks a person at a terminal.
    """
    judges = {} if file is None else dict(read_judges(file))
    for entry in entries:
        name, sign, spec = entry.partition("=")
        if not sign or not spec.strip():
            raise InvalidConfig(f"a judge on the list is NAME=SPEC, such as fast=llm:gpt-5-mini, not {entry!r}")
        judges[name.strip()] = ListedJudge(spec=spec.strip())
    for name, judge in judges.items():
        if not _NAME.fullmatch(name):
            raise InvalidConfig(f"the name of a judge has at most 60 letters, digits and any of -_., not {name!r}")
        opened = judge.open()
        asyncio.run(opened.close())
        if opened.card.interactive:
            raise InvalidConfig(f"the judge {name!r} asks a person at a terminal, and a server has none")
    return judges


_NAME = re.compile(r"[\w.-]{1,60}")


def _listed(path: Path, name: str, entry: object) -> ListedJudge:
    if isinstance(entry, str):
        return ListedJudge(spec=entry)
    form = f'{path}: {name} must be a spec, or a table such as {{ spec = "llm:MODEL", price = [0.25, 2.0] }}'
    if not isinstance(entry, dict) or not isinstance(entry.get("spec"), str) or entry.keys() - {"spec", "price"}:
        raise InvalidConfig(form)
    price = entry.get("price")
    if price is None:
        return ListedJudge(spec=entry["spec"])
    if not isinstance(price, list) or len(price) != 2 or not all(isinstance(each, int | float) for each in price):
        raise InvalidConfig(form)
    return ListedJudge(spec=entry["spec"], price=(float(price[0]), float(price[1])))


def require_listed(judges: JudgeList, name: str) -> ListedJudge:
    """The judge of a name.

    Raises:
        UnknownJudge: If it is not on the list.
    """
    listed = judges.get(name)
    if listed is None:
        raise UnknownJudge(f"this worker has no judge {name!r}; it has {', '.join(sorted(judges)) or 'none'}")
    return listed


def announced(name: str, judge: Judge) -> AnnouncedJudge:
    """What planners learn of a judge."""
    item = Item(id="usual", text=_USUAL)
    sample = Question(call="price", first=item, second=Item(id="other", text=_USUAL), criteria="")
    return AnnouncedJudge(
        name=name,
        card=_CARD.dump_python(judge.card, mode="json"),
        advocate="" if judge.card.debates is None else advocate_like(judge).identity,
        price=judge.price(sample),
    )


def card_of(judge: AnnouncedJudge) -> JudgeCard:
    """The card of an announced judge."""
    return _CARD.validate_python(dict(judge.card))
