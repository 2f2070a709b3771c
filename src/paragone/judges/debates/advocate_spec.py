"""Advocates by their specs, and the advocate that a judge has where none is named."""

from dataclasses import dataclass
from urllib.parse import parse_qsl

from paragone.errors import UnknownJudge
from paragone.judges.base import Judge
from paragone.judges.debates.advocate import Advocate
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.panel import PanelJudge
from paragone.llm import Price


@dataclass(frozen=True, kw_only=True, slots=True)
class AdvocateKind:
    """One kind of advocate.

    Attributes:
        name: What its specs begin with.
        form: How its specs are written.
        help: What it is, in a line.
    """

    name: str
    form: str
    help: str


ADVOCATES = (
    AdvocateKind(name="llm", form="llm:MODEL[@URL]", help="a language model, named as for a judge"),
    AdvocateKind(
        name="scripted",
        form="scripted[?delay=0&failures=0&tokens=0&cost=0]",
        help="argues with the item's own sentences; no model, for trying things out",
    ),
)
"""Every kind of advocate that has a spec."""

_SCRIPTED = ("delay", "failures", "tokens", "cost", "seed")


def open_advocate(spec: str, *, seed: int = 0, price: Price | None = None) -> Advocate:
    """The advocate that a spec names.

    Args:
        spec: ``llm:MODEL``, ``llm:MODEL@URL``, ``llm:PROVIDER:MODEL``, ``scripted`` or ``scripted?failures=0.2``.
        seed: Decides the draws of advocates that draw.
        price: What a model costs, where the caller knows better than the list.

    Raises:
        UnknownJudge: If it names none.
        MissingExtra: If it needs a package that is not installed.
        MissingKey: If its provider's key is not in the environment.
    """
    if spec.partition("?")[0].strip() == "scripted":
        return _scripted(spec.partition("?")[2], seed)
    name, _, argument = spec.strip().partition(":")
    if name != "llm" or not argument.strip():
        forms = ", ".join(kind.form for kind in ADVOCATES)
        raise UnknownJudge(f"there is no advocate {spec!r}. The kinds are {forms}")
    from paragone.judges.debates.llm_advocate import LLMAdvocate
    from paragone.judges.model_name import model_and_url

    model, url = model_and_url(argument.strip())
    return LLMAdvocate(model, base_url=url, price=price)


def advocate_like(judge: Judge) -> Advocate:
    """Who speaks before a judge where nobody is named: its own model, and where it is none, the scripted advocate.

    Before a panel it is the model of the first member that is one.
    """
    from paragone.judges.debates.llm_advocate import LLMAdvocate
    from paragone.judges.llm import LLMJudge

    members = judge.members if isinstance(judge, PanelJudge) else (judge,)
    model = next((member for member in members if isinstance(member, LLMJudge)), None)
    return ScriptedAdvocate() if model is None else LLMAdvocate.like(model.asking)


def _scripted(query: str, seed: int) -> Advocate:
    settings = dict(parse_qsl(query, keep_blank_values=True))
    unknown = settings.keys() - set(_SCRIPTED)
    if unknown:
        raise UnknownJudge(f"scripted has no parameter {min(unknown)!r}; it has {', '.join(_SCRIPTED)}")
    try:
        numbers = {name: float(value) for name, value in settings.items()}
    except ValueError as error:
        raise UnknownJudge(f"scripted?{query}: a parameter is not a number ({error})") from error
    return ScriptedAdvocate(
        delay=numbers.get("delay", 0.0),
        failures=numbers.get("failures", 0.0),
        tokens=int(numbers.get("tokens", 0)),
        cost=numbers.get("cost", 0.0),
        seed=int(numbers.get("seed", seed)),
    )
