"""A judge that is a program: it reads one question a line and answers one verdict a line, as JSON.

Use it as ``--judge "command:python judge_command.py"``. It may be written in any language; this one prefers the text
with more different words.
"""

import json
import sys


def different_words(text: str) -> int:
    """How many different words a text has."""
    return len(set(text.lower().split()))


for line in sys.stdin:
    question = json.loads(line)
    first, second = (different_words(question[side]["text"]) for side in ("first", "second"))
    winner = "tie" if first == second else "first" if first > second else "second"
    answer = {"call": question["call"], "winner": winner, "rationale": f"{first} different words against {second}"}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
