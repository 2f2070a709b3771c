"""Optional packages: whether one is installed, and what to say where it is not, with the extra that brings it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec

from paragone.errors import MissingExtra

EXTRAS: Mapping[str, str] = {
    "authlib": "web,oidc",
    "bpe-openai": "memory",
    "distributed": "batch",
    "evalica": "methods",
    "faiss-cpu": "similarity",
    "fastapi": "web",
    "glicko2": "methods",
    "google-re2": "memory",
    "joserfc": "web,oidc",
    "matplotlib": "plot",
    "mcp": "mcp",
    "networkx": "report",
    "numba": "fast",
    "openskill": "methods",
    "opentelemetry-exporter-otlp-proto-http": "telemetry",
    "opentelemetry-sdk": "telemetry",
    "pathspec": "memory",
    "pillow": "web",
    "plotly": "report",
    "procrastinate": "workers",
    "prometheus-client": "web",
    "psycopg": "postgres",
    "pyarrow": "parquet",
    "pydantic-ai-slim": "providers",
    "python-calamine": "excel",
    "scikit-learn": "report",
    "segno": "web",
    "structlog": "web",
    "tree-sitter-language-pack": "memory",
    "trueskill": "methods",
    "uvicorn": "web",
    "wordllama": "similarity",
    "xllamacpp": "local",
    "zstandard": "inspect",
}
"""The extras of ``pip install 'paragone[...]'`` that bring an optional package."""

_MODULES: Mapping[str, str] = {
    "faiss-cpu": "faiss",
    "google-re2": "re2",
    "opentelemetry-exporter-otlp-proto-http": "opentelemetry.exporter.otlp.proto.http",
    "opentelemetry-sdk": "opentelemetry.sdk",
    "pillow": "PIL",
    "pydantic-ai-slim": "pydantic_ai",
    "scikit-learn": "sklearn",
}
"""The modules of packages that are called otherwise."""


def installed(package: str) -> bool:
    """Whether a package is installed; nothing of it is run."""
    try:
        return find_spec(_MODULES.get(package, package.replace("-", "_"))) is not None
    except ModuleNotFoundError:  # of the package that this one is a part of
        return False


def missing(purpose: str, package: str, *, extra: str = "", reason: str = "", instead: str = "") -> MissingExtra:
    """What to raise where an optional package is not installed.

    Args:
        purpose: What needs it, with the verb: ``a server needs``.
        package: Its name at PyPI.
        extra: What brings it, if it is not what ``EXTRAS`` says.
        reason: Why it cannot be used though it is there, with the comma before it.
        instead: What can be done without it, with the comma before it.
    """
    extra = extra or EXTRAS.get(package, "")
    target = f"'paragone[{extra}]'" if extra else package
    return MissingExtra(f"{purpose} the package {package}{reason}; install it with: pip install {target}{instead}")


def require(purpose: str, *packages: str, extra: str = "") -> None:
    """Check that packages are installed, without importing them, which may take long; see ``missing``.

    Raises:
        MissingExtra: If one is not installed.
    """
    for package in packages:
        if not installed(package):
            raise missing(purpose, package, extra=extra)


@contextmanager
def importing(purpose: str, package: str, *, extra: str = "", instead: str = "") -> Iterator[None]:
    """Import an optional package within the block; see ``missing``.

    Raises:
        MissingExtra: If it cannot be imported; says why if it is there.
    """
    try:
        yield
    except ImportError as error:
        reason = "" if isinstance(error, ModuleNotFoundError) else f", which cannot be imported ({error})"
        raise missing(purpose, package, extra=extra, reason=reason, instead=instead) from error
