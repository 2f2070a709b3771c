"""About how many tokens a language model takes for a comparison, by protocol: for plans, before anything is measured.

Lengths of this package's prompts and of usual answers, and a token for four characters of a text. Reasoning models take
more, in all protocols alike.
"""

from collections.abc import Sequence

_CHARACTERS_A_TOKEN = 4
_PROMPT, _PANEL_PROMPT, _TURN_PROMPT, _DEBATE_PROMPT = 340, 460, 430, 420
"""Tokens of the instructions around the texts."""
_ANSWER, _PANEL_ANSWER, _TURN, _DECISION = 80, 600, 260, 280
"""Tokens of the answers."""


def verdict_tokens(lengths: Sequence[int], turns: int = 0, *, panel: bool = False) -> tuple[int, int]:
    """Tokens sent and received for a verdict, without the turns before it.

    Args:
        lengths: Characters of the texts that are shown.
        turns: Turns a side in the debate before it, which the judge reads.
        panel: Whether a debate is held within the answer.
    """
    texts = sum(lengths) // _CHARACTERS_A_TOKEN
    if panel:
        return _PANEL_PROMPT + texts, _PANEL_ANSWER
    if turns:
        return _DEBATE_PROMPT + texts + 2 * turns * _TURN, _DECISION
    return _PROMPT + texts, _ANSWER


def turn_tokens(lengths: Sequence[int], spoken: int) -> tuple[int, int]:
    """Tokens sent and received for a turn of a debate.

    Args:
        lengths: Characters of the texts that are shown.
        spoken: Turns that were spoken before, which the advocate reads.
    """
    return _TURN_PROMPT + sum(lengths) // _CHARACTERS_A_TOKEN + spoken * _TURN, _TURN


def comparison_tokens(lengths: Sequence[int], turns: int = 0, *, panel: bool = False) -> int:
    """Tokens of a comparison in all, sent and received, turns included.

    Args:
        lengths: Characters of the texts that are shown.
        turns: Turns a side before the verdict; 0 for none.
        panel: Whether a debate is held within the answer.
    """
    spoken = sum(sum(turn_tokens(lengths, before)) for before in range(2 * turns))
    return spoken + sum(verdict_tokens(lengths, turns, panel=panel))
