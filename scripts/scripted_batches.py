"""The batch interface of the scripted endpoint: files of questions, batches that take a while, and files of answers."""

import email.parser
import email.policy
import itertools
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Answer = tuple[int, dict[str, Any] | bytes]
"""Status and body of an HTTP answer."""
Ending = Literal["completed", "failed", "expired", "never"]


@dataclass(kw_only=True)
class Batches:
    """The batches of an endpoint. Their questions are answered when they end, and billed then.

    Attributes:
        polls: How often a batch is looked at before it ends.
        endings: How the next batches end, the first of them first; ``completed`` after that. An expired one has answers
            to the first half of its questions.
        lost_receipts: How many of the next batches are made without an answer to whoever sends them.
        is_there: Whether there is such an interface.
        sizes: Questions of each batch that came.
        faults: What happens to the next questions, one fault each.
        billed: Ids of the questions that were answered, in their order.
    """

    polls: int = 1
    endings: list[Ending] = field(default_factory=list)
    lost_receipts: int = 0
    is_there: bool = True
    sizes: list[int] = field(default_factory=list)
    faults: list[Any] = field(default_factory=list)
    billed: list[str] = field(default_factory=list)
    _files: dict[str, bytes] = field(default_factory=dict)
    _batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    _left: dict[str, int] = field(default_factory=dict)
    _ends: dict[str, Ending] = field(default_factory=dict)
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    def takes(self, path: str) -> bool:
        """Whether a path belongs to the interface."""
        return re.search(r"/v1/(files|batches)\b", path) is not None

    def answer(
        self, method: str, path: str, content: str, raw: bytes, ask: Callable[[dict[str, Any]], Answer]
    ) -> Answer | None:
        """Answer a request; None for silence.

        Args:
            method: ``GET`` or ``POST``.
            path: Its path.
            content: Its content type.
            raw: Its body.
            ask: Answers one question, and bills it.
        """
        if not self.is_there:
            return 404, {"error": {"message": "unknown path"}}
        kind, id, act = re.fullmatch(r"/v1/(files|batches)(?:/([\w-]+))?(?:/(\w+))?", path.partition("?")[0]).groups()
        if kind == "files":
            return (200, self._files[id]) if act else (200, self._stored(content, raw))
        if method == "POST" and id is None:
            return self._made(json.loads(raw))
        if id is None:
            return 200, {"object": "list", "data": [*reversed(self._batches.values())], "has_more": False}
        if act == "cancel":
            self._batches[id]["status"] = "cancelled"
        else:
            self._look(id, ask)
        return 200, self._batches[id]

    def _stored(self, content: str, raw: bytes) -> dict[str, Any]:
        parser = email.parser.BytesParser(policy=email.policy.HTTP)
        message = parser.parsebytes(f"content-type: {content}\r\n\r\n".encode() + raw)
        (part,) = (part for part in message.iter_parts() if part.get_filename())
        id = f"file-{next(self._numbers)}"
        self._files[id] = part.get_payload(decode=True)
        return {"id": id, "object": "file", "bytes": 1, "created_at": 1, "filename": "f", "purpose": "batch"}

    def _made(self, asked: dict[str, Any]) -> Answer | None:
        id = f"batch_{next(self._numbers)}"
        self._batches[id] = {
            "id": id, "object": "batch", "status": "in_progress", "created_at": int(time.time()), **asked,
        }  # fmt: skip
        self.sizes.append(len(self._files[asked["input_file_id"]].splitlines()))
        self._left[id] = self.polls
        self._ends[id] = self.endings.pop(0) if self.endings else "completed"
        if self.lost_receipts:
            self.lost_receipts -= 1
            return None
        return 200, self._batches[id]

    def _look(self, id: str, ask: Callable[[dict[str, Any]], Answer]) -> None:
        batch, ending = self._batches[id], self._ends[id]
        self._left[id] -= 1
        if batch["status"] != "in_progress" or self._left[id] >= 0 or ending == "never":
            return
        lines = [json.loads(line) for line in self._files[batch["input_file_id"]].splitlines()]
        if ending == "expired":
            lines = lines[: len(lines) // 2]
        if ending == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "x", "message": "the model takes no batches"}]}
        else:
            batch["output_file_id"] = f"file-{next(self._numbers)}"
            self._files[batch["output_file_id"]] = b"".join(self._line(line, ask) for line in reversed(lines))
        batch["status"] = ending

    def _line(self, line: dict[str, Any], ask: Callable[[dict[str, Any]], Answer]) -> bytes:
        code, body = ask(line["body"])
        self.billed += [line["custom_id"]] if code == 200 else []
        response = {"status_code": code, "request_id": "1", "body": body}
        return (
            json.dumps({"id": "1", "custom_id": line["custom_id"], "response": response, "error": None}).encode()
            + b"\n"
        )
