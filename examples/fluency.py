"""A judge of fluency: the packaged language model completes a list of judged pairs, and its next token is the verdict.

SmolLM2 has 135 million parameters. It cannot tell good science from bad, but it can tell English from garbled English.
Use it as ``--judge python:examples.fluency:more_fluent``.
"""

import random
from functools import cache
from threading import Lock
from typing import Any

from paragone.domain import Item
from paragone.llm.local_model import LocalModel, find_weights, probability_of

PAIRS = [
    ("The cat sleeps on the warm stone near the garden gate.", "The old clock in the hall strikes at night.", "A"),
    ("We walked along the river until the rain began.", "She wrote a long letter to her brother.", "B"),
    ("The shop sells fresh bread and cheese in the morning.", "Children played football in the park.", "B"),
    ("He repaired the roof before the storms arrived.", "The soup needs salt and another ten minutes.", "A"),
]

LOADING = Lock()


def garble(text: str, share: float, seed: int) -> str:
    """Shuffle the letters of a share of the words, from 0 for none to 1 for all; the same letters stay in each word."""
    generator = random.Random(seed)
    words = text.split()
    for index in generator.sample(range(len(words)), round(share * len(words))):
        words[index] = "".join(generator.sample(words[index], len(words[index])))
    return " ".join(words)


def examples() -> str:
    """Judged pairs that show the model what to do; one text of each is garbled."""
    lines = ["In each pair, the text in correct English is named.", ""]
    for seed, (a, b, answer) in enumerate(PAIRS):
        shown = (a, garble(b, 1, seed)) if answer == "A" else (garble(a, 1, seed), b)
        lines += [f"Text A: {shown[0]}", f"Text B: {shown[1]}", f"Correct: {answer}", ""]
    return "\n".join(lines) + "\n"


@cache
def loaded() -> LocalModel:
    """The model with its packaged weights."""
    return LocalModel(find_weights())


def model() -> LocalModel:
    """The model, loaded once: a tournament asks in several threads, and each would load one of its own."""
    with LOADING:
        return loaded()


def more_fluent(first: Item, second: Item, criteria: str) -> dict[str, Any]:
    """Which of two texts is better English, with the probability that it is the first."""
    tokens, _ = model().next_token(examples(), f"Text A: {first.text}\nText B: {second.text}\nCorrect:")
    probability = probability_of(" A", " B", tokens)
    if probability is None:
        return {"winner": "abstain"}
    return {"winner": "first" if probability > 0.5 else "second", "probability": probability}
