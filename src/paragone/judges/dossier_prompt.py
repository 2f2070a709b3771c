"""What a prompt shows of a question: its texts, cut and fenced, and its dossier, cut to a budget by importance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paragone.domain import Dossier, ItemNotes, Question
from paragone.domain.dossier import Rubric
from paragone.judges.fences import cut, encodable, mark
from paragone.judges.templates import load

CHARACTERS_A_TOKEN = 4
_COMMON_SHARE = 0.75
_REVIEW_SHARE = 0.6
_REMARK = 80
"""Characters that the remark on a cut may take."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FittedDossier:
    """A dossier as it fits its budget.

    Attributes:
        sections: Name and text of each part that all questions share.
        notes: The text of the notes on each item shown, in their order; empty where nothing is known.
        shortened: Names of what was cut or left out.
    """

    sections: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    shortened: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts."""
        return (*(text for _, text in self.sections), *self.notes)


def fitted(dossier: Dossier) -> FittedDossier:
    """What of a dossier is shown, the most important first; the rest is cut or left out, with a remark in its place.

    What all questions share (goal, rubric, directives, preferences, constraints, insights) takes three quarters of the
    budget at most, and does not depend on the notes, so that it is the same in each question.
    """
    budget, shortened = dossier.max_tokens * CHARACTERS_A_TOKEN, []
    remaining, sections = int(budget * _COMMON_SHARE), []
    for name, text in _sections(dossier):
        visible = _shortened(encodable(text), remaining)
        if visible != encodable(text):
            shortened.append(name.lower())
        sections.append((name, visible))
        remaining -= min(remaining, len(visible))
    used = sum(len(text) for _, text in sections)
    share = max(0, budget - used) // max(1, len(dossier.notes))
    notes = []
    for note in dossier.notes:
        text, is_whole = _notes_text(note, share)
        notes.append(text)
        if not is_whole and "notes" not in shortened:
            shortened.append("notes")
    return FittedDossier(sections=tuple(sections), notes=tuple(notes), shortened=tuple(shortened))


def _sections(dossier: Dossier) -> Iterable[tuple[str, str]]:
    """Name and text of each common part that there is, the most important first."""
    parts = (
        ("GOAL", dossier.goal),
        ("RUBRIC", "" if dossier.rubric is None else _rubric(dossier.rubric)),
        ("DIRECTIVES", _listed(dossier.directives)),
        ("PREFERENCES", _listed(dossier.preferences)),
        ("CONSTRAINTS", _listed(dossier.constraints)),
        ("INSIGHTS", _listed(dossier.insights)),
    )
    return ((name, text) for name, text in parts if text)


def _rubric(rubric: Rubric) -> str:
    return "\n".join(
        f"- {criterion.name} (weight {criterion.weight:.0%}): {criterion.definition} Scale: {criterion.scale}"
        for criterion in rubric.criteria
    )


def _listed(texts: Sequence[str]) -> str:
    return "\n".join("- " + text.replace("\n", "\n  ") for text in texts)


def _notes_text(notes: ItemNotes, budget: int) -> tuple[str, bool]:
    """The notes on an item in so many characters, and whether that is all of them."""
    attributes = _listed([f"{name}: {value}" for name, value in notes.attributes])
    parts = (("Best review", notes.review), ("Attributes", attributes), ("Evidence cited", _listed(notes.evidence)))
    texts, remaining, is_whole = [], budget, True
    for at, (name, raw) in enumerate((name, encodable(text)) for name, text in parts if text):
        is_last = at == sum(bool(text) for _, text in parts) - 1
        visible = _shortened(
            raw, remaining if is_last else int(remaining * _REVIEW_SHARE) if name == "Best review" else remaining
        )
        is_whole &= visible == raw
        texts.append(f"{name}:\n{visible}")
        remaining -= min(remaining, len(texts[-1]))
    return "\n".join(texts), is_whole


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return cut(text, most - _REMARK) if most > 2 * _REMARK else f"[left out for its length: {len(text)} characters]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Presented:
    """What a question shows, ready for a template.

    Attributes:
        texts: The texts of the items.
        criteria: The criteria in words.
        mark: The mark of the fences around texts and notes.
        rules: What is said of the dossier, for the slot ``dossier_rules``; empty without one.
        dossier: Its common part, fenced.
        notes: The notes on each item, fenced, to stand after its text; empty texts where there are none.
    """

    texts: tuple[str, ...]
    criteria: str
    mark: str
    rules: str
    dossier: str
    notes: tuple[str, ...]

    @property
    def slots(self) -> dict[str, str]:
        """Values of the slots that templates of pairs have in common."""
        return {
            "first": self.texts[0],
            "second": self.texts[1],
            "criteria": self.criteria,
            "mark": self.mark,
            "dossier": self.dossier,
            "first_notes": self.notes[0],
            "second_notes": self.notes[1],
        }


def presented(question: Question, max_chars: int, *more_texts: str) -> Presented:
    """What a question shows.

    Args:
        question: The question.
        max_chars: Characters of a text that are shown; a remark says how many more there were.
        more_texts: Texts besides that will be fenced with its mark, such as turns.
    """
    texts = tuple(cut(encodable(item.text), max_chars) for item in question.items)
    criteria = encodable(question.criteria)
    dossier = question.dossier
    if dossier is None or dossier.is_empty:
        sign, none = mark(*texts, criteria, *more_texts), ("",) * len(texts)
        return Presented(texts=texts, criteria=criteria, mark=sign, rules="", dossier="", notes=none)
    fits = fitted(dossier)
    template, sign = load("dossier"), mark(*texts, criteria, *more_texts, *fits.texts)
    common = ""
    if fits.sections:
        shared = [text for pair in fits.sections for text in pair]
        own = mark(*shared, avoid=(*texts, criteria, *more_texts, *fits.notes))
        common = template.fill(1, mark=own, sections=fits.sections).rstrip("\n") + "\n\n"
    names = (
        ("FIRST", "SECOND") if len(texts) == 2 and not question.others else tuple(map(str, range(1, len(texts) + 1)))
    )
    notes = fits.notes or ("",) * len(texts)
    return Presented(
        texts=texts,
        criteria=criteria,
        mark=sign,
        rules=template.fill(0) + "\n\n",
        dossier=common,
        notes=tuple(
            "\n\n" + template.fill(2, name=name, mark=sign, text=note) if note else ""
            for name, note in zip(names, notes, strict=True)
        ),
    )
