#!/bin/sh
# Makes .venv with everything in requirements/dev.lock and paragone itself, and does nothing where that is done already.
# With the argument "demo" it makes .venv-demo from requirements/demo.lock instead, which is a quarter of the size.
#
# Needs Python 3.11 or newer and nothing else: uv does the work where it can be had, and pip where it cannot.
# PYTHON=/path/to/python chooses the interpreter of a new .venv; PARAGONE_SETUP=pip does without uv.
set -eu
cd "${0%/*}/.."
case ${1:-dev} in
  dev) venv=.venv ;;
  demo) venv=.venv-demo ;;
  *) printf 'setup: no such environment: %s\n' "$1" >&2 && exit 2 ;;
esac
export PARAGONE_VENV=$venv
python=$venv/bin/python
stamp=$venv/.paragone-setup
lock=requirements/${1:-dev}.lock

say() { printf 'setup: %s\n' "$*" >&2; }

# What the environment was made from; the folder is part of it, since a virtual environment cannot be moved.
fingerprint() { pwd -P; cksum pyproject.toml "$lock" requirements/setup.lock scripts/setup.sh; }

# A python on PATH may be a shim that fails when it is called, so each candidate has to run.
is_suitable() {
  "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
  for candidate in ${PYTHON:-} python3.13 python3.12 python3.11 python3 python python3.14; do
    if is_suitable "$candidate"; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  say "paragone needs Python 3.11 or newer with the modules venv and ensurepip, and none was found on PATH."
  say "Install one, or name it: make setup PYTHON=/path/to/python3.12"
  return 1
}

make_venv() {
  if is_suitable "$python" && "$python" -m pip --version >/dev/null 2>&1; then
    return
  fi
  base=$(find_python)
  say "$venv with $("$base" --version) ($base)"
  "$base" -m venv --clear "$venv"
}

sync_with_uv() {
  [ "${PARAGONE_SETUP:-uv}" != pip ] || return 1
  say "installing $lock"
  sh scripts/uv.sh pip sync --quiet --python "$python" --require-hashes "$lock" &&
    sh scripts/uv.sh pip install --quiet --python "$python" --no-deps --no-build-isolation --editable .
}

sync_with_pip() {
  say "installing $lock with pip, which takes some minutes"
  "$python" -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r "$lock"
  PATH="$PWD/$venv/bin:$PATH" "$python" -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
}

if [ -x "$python" ] && [ -f "$stamp" ] && [ "$(fingerprint)" = "$(cat "$stamp")" ]; then
  exit 0
fi
make_venv
rm -f "$stamp"
sync_with_uv || sync_with_pip
fingerprint >"$stamp"
say "done: $venv/bin/paragone"
