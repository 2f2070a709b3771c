"""What keeps secrets out of the index: names of files, and texts such as private keys and access tokens."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from paragone.memory.index.globs import gitignore, regular_expressions

SECRET_FILES = (
    *(".env*", "*.env", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.keytab"),
    *("*.kdbx", "*.kdb", "*.ppk", "*.ovpn", "*.gpg", "*.pgp", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
    *("ssh_host_*_key", "authorized_keys", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"),
    *(".git-credentials", ".dockercfg", ".docker/config.json", ".kube/config", "kubeconfig", ".boto", ".s3cfg"),
    *(".vault-token", "credentials*", "secret.*", "secrets.*", "*.secret", "*.secrets", ".secrets*", "*.tfstate"),
    *("*.tfstate.*", "*.tfvars", "service-account*.json", "service_account*.json", "client_secret*.json"),
    *(".aws/", ".ssh/", ".gnupg/", ".azure/", ".config/gcloud/", ".password-store/"),
)
"""Patterns as in .gitignore files, in lower case; they match in any case."""

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
    """Which paths are secrets: the built-in list and the store's own patterns, of which ``!`` makes exceptions."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._built_in = gitignore(SECRET_FILES)
        self._own = gitignore(patterns) if patterns else None

    def hides(self, path: str) -> bool:
        """Whether a path below the root is a secret's; a folder's path ends in a slash."""
        verdict = None if self._own is None else self._own.check_file(path).include
        return bool(self._built_in.match_file(path.lower())) if verdict is None else verdict


def holds_secret(data: bytes) -> bool:
    """Whether a text contains a private key or an access token of a known form."""
    return _secret_text().search(data) is not None


@cache
def _secret_text() -> Any:  # noqa: ANN401 - re2 has no types
    return regular_expressions().compile(b"|".join(b"(?:" + text + b")" for text in _SECRET_TEXT))
