"""Secrets: files whose names say that they hold some, and texts that plainly do. Never indexed, read or packed."""

import re
import warnings
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from paragone.errors import InvalidConfig, MissingExtra

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SECRET_FILES = (
    *(".env*", "*.env", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.keytab"),
    *("*.kdbx", "*.kdb", "*.ppk", "*.ovpn", "*.gpg", "*.pgp", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
    *("ssh_host_*_key", "authorized_keys", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"),
    *(".git-credentials", ".dockercfg", ".docker/config.json", ".kube/config", "kubeconfig", ".boto", ".s3cfg"),
    *(".vault-token", "credentials*", "secret.*", "secrets.*", "*.secret", "*.secrets", ".secrets*", "*.tfstate"),
    *("*.tfstate.*", "*.tfvars", "service-account*.json", "service_account*.json", "client_secret*.json"),
    *(".aws/", ".ssh/", ".gnupg/", ".azure/", ".config/gcloud/", ".password-store/"),
)
"""As in .gitignore files, in lower case: letters' case makes no difference here."""

_SECRET_TEXT = (
    rb"(?m)^[ \t]*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|\s|[\"'+,])*[A-Za-z0-9+/]{16}",
    rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    rb"\bgh[pousr]_[A-Za-z0-9]{30}",
    rb"\bgithub_pat_[A-Za-z0-9_]{30}",
    rb"\bglpat-[A-Za-z0-9_-]{20}",
    rb"\bsk-(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20}",
    rb"\bsk-[A-Za-z0-9]{20}",
    rb"\b[sr]k_live_[A-Za-z0-9]{16}",
    rb"\bxox[abeoprs]-[A-Za-z0-9-]{10}",
    rb"\bAIza[0-9A-Za-z_-]{35}",
    rb"\bnpm_[A-Za-z0-9]{36}",
    rb"\bpypi-AgEI[A-Za-z0-9_-]{50}",
    rb"\bhf_[A-Za-z]{34}\b",
)


class Secrecy:
    """Which paths are those of secrets: the built-in list, and one's own patterns, of which ``!`` takes out again."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._built_in = gitignore(SECRET_FILES)
        self._own = gitignore(patterns)

    def hides(self, path: str) -> bool:
        """Whether a path below the root is a secret's; a folder's path ends in a slash."""
        said = self._own.check_file(path).include
        return bool(self._built_in.match_file(path.lower())) if said is None else said


def holds_secret(data: bytes) -> bool:
    """Whether a text plainly holds a private key or a token that some service gave out."""
    return _secret_text().search(data) is not None


def gitignore(patterns: Sequence[str]) -> "GitIgnoreSpec":
    """Patterns as .gitignore files have them. They are matched by RE2: none takes long, whatever it says.

    Raises:
        InvalidConfig: If one of them cannot be.
        MissingExtra: If pathspec or google-re2 is not installed.
    """
    try:
        import re2
        from pathspec import GitIgnoreSpec
    except ImportError as error:
        raise MissingExtra(
            "memory needs the packages pathspec and google-re2; install them with: pip install 'paragone[memory]'"
        ) from error
    try:
        with warnings.catch_warnings(action="ignore"):  # of what a pattern would mean in a later Python
            spec = GitIgnoreSpec.from_lines(patterns, backend="re2")
            spec.check_file("compiled when it is first asked")
    except (ValueError, re.error, re2.error) as error:
        raise InvalidConfig(f"not a pattern as .gitignore files have them: {error}") from error
    return spec


@cache
def _secret_text() -> Any:  # noqa: ANN401 - re2 has no types
    try:
        import re2
    except ImportError as error:
        raise MissingExtra(
            "memory needs the package google-re2; install it with: pip install 'paragone[memory]'"
        ) from error
    return re2.compile(b"|".join(b"(?:" + text + b")" for text in _SECRET_TEXT))
