"""Advocates by their specs, and the advocate that a judge has where none is named."""

from dataclasses import dataclass

from paragone.errors import UnknownJudge
from paragone.judges.base import Judge
from paragone.judges.debates.debate import Advocate
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.model import ADVOCATE, OPTIONS, read_model_spec
from paragone.judges.panel_judge import PanelJudge
from paragone.judges.spec_options import Option, SpecKind, number, read_options
from paragone.llm import Price


@dataclass(frozen=True, kw_only=True, slots=True)
class AdvocateKind(SpecKind):
    """One kind of advocate."""


_SCRIPTED = tuple(
    Option(name=name, form=form, help=help, read=number())
    for name, form, help in (
        ("delay", "0.5", "seconds that a turn takes"),
        ("failures", "0.2", "share of calls that bring no turn"),
        ("tokens", "300", "tokens that a turn reports"),
        ("cost", "0.001", "US dollars that a turn costs"),
        ("seed", "7", "decides its failures; the tournament's own where not given"),
    )
)

ADVOCATES = (
    AdvocateKind(
        name="llm",
        form="llm:MODEL[?OPTIONS][@URL]",
        help="a language model, named as for a judge",
        options=tuple(option for option in OPTIONS if option.name in ADVOCATE),
    ),
    AdvocateKind(
        name="scripted",
        form="scripted[?OPTIONS]",
        help="argues with the item's own sentences; no model, for trying things out",
        options=_SCRIPTED,
    ),
)
"""Every kind of advocate that has a spec."""


def open_advocate(spec: str, *, seed: int = 0, price: Price | None = None) -> Advocate:
    """The advocate that a spec names.

    Args:
        spec: ``llm:MODEL``, ``llm:MODEL?max_tokens=4000@URL``, ``llm:PROVIDER:MODEL``, ``scripted`` or
            ``scripted?failures=0.2``.
        seed: Seed of advocates that use randomness.
        price: What a model costs, where the caller knows better than the list.

    Raises:
        UnknownJudge: If it names none, or an option is unknown or has a value that cannot be.
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

    spoken = read_model_spec(argument.strip(), ADVOCATE)
    return LLMAdvocate(spoken.model, base_url=spoken.url, price=price, **spoken.options.chosen())


def advocate_like(judge: Judge) -> Advocate:
    """The default advocate for a judge: the judge's own model, or the scripted advocate where it has none.

    For a panel it is the model of the first member that has one.
    """
    from paragone.judges.debates.llm_advocate import LLMAdvocate
    from paragone.judges.llm_judge import LLMJudge

    members = judge.members if isinstance(judge, PanelJudge) else (judge,)
    model = next((member for member in members if isinstance(member, LLMJudge)), None)
    return ScriptedAdvocate() if model is None else LLMAdvocate.like(model.asking)


def _scripted(query: str, seed: int) -> Advocate:
    numbers: dict[str, float] = read_options(f"scripted?{query}", query, _SCRIPTED) if query else {}
    return ScriptedAdvocate(
        delay=numbers.get("delay", 0.0),
        failures=numbers.get("failures", 0.0),
        tokens=int(numbers.get("tokens", 0)),
        cost=numbers.get("cost", 0.0),
        seed=int(numbers.get("seed", seed)),
    )
