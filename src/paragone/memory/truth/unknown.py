"""Why R of content is unknown."""

from paragone.domain.content import Content
from paragone.memory.store import TruthLine
from paragone.memory.store.logs import Logs

UNTRIED = "no test, evidence or judge has spoken about it"
"""Of content about which nothing was tried."""


def unknown_reasons(logs: Logs) -> dict[Content, str]:
    """Why R is unknown, of content about which something was tried, from the lines of the truth log."""
    reasons: dict[Content, str] = {}
    for line in logs.after(kinds={TruthLine}):
        if isinstance(line, TruthLine):
            content = Content(kind=line.entity_type, id=line.entity_id, path=line.file_path)
            reason = line.detail.get("reason")
            if line.r is None and isinstance(reason, str) and reason:
                reasons[content] = reason
            else:
                reasons.pop(content, None)
    return reasons
