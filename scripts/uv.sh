#!/bin/sh
# uv with the settings that pip has on this machine: uv reads its own variables and configuration and not pip's.
#
# Takes uv from the environment, else from PATH, else installs the one in requirements/setup.lock into the environment,
# which is .venv, or what PARAGONE_VENV names.
set -eu
cd "${0%/*}/.."
venv=${PARAGONE_VENV:-.venv}
python=$venv/bin/python

pip_config() { "$python" -m pip config list 2>/dev/null | sed -n "s/^global[.]$1='\(.*\)'\$/\1/p"; }

hand_over() {
  eval "already=\${$1:-}"
  [ -n "$already" ] || [ -z "$2" ] || export "$1=$2"
}

hand_over UV_DEFAULT_INDEX "${PIP_INDEX_URL:-$(pip_config index-url)}"
hand_over UV_INDEX "${PIP_EXTRA_INDEX_URL:-}"
hand_over UV_INSECURE_HOST "${PIP_TRUSTED_HOST:-$(pip_config trusted-host)}"
hand_over UV_HTTP_TIMEOUT "${PIP_DEFAULT_TIMEOUT:-$(pip_config timeout)}"
hand_over SSL_CERT_FILE "${PIP_CERT:-$(pip_config cert)}"
# The hashes in the lock make it safe to take a file from whichever index has it.
export UV_INDEX_STRATEGY=unsafe-best-match UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never UV_NO_PROGRESS=1
# Without a home that can be written to, the cache lives and dies with the environment.
mkdir -p "${UV_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/dev/null}/.cache}}" 2>/dev/null || export UV_CACHE_DIR="$PWD/$venv/.cache"

if [ -x "$venv/bin/uv" ]; then
  exec "$venv/bin/uv" "$@"
fi
if ! uv --version >/dev/null 2>&1; then
  "$python" -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements/setup.lock >&2
  exec "$venv/bin/uv" "$@"
fi
exec uv "$@"
