#!/bin/sh
# Builds the package, installs the wheel without extras in a fresh environment and runs it far from the checkout.
set -eu
cd "${0%/*}/.."
top=$(pwd -P)
trap 'rm -rf "$away"' EXIT
away=$(mktemp -d)
unset PYTHONPATH VIRTUAL_ENV

sh scripts/uv.sh build --quiet --no-build-isolation --python .venv/bin/python --out-dir "$away/dist"
.venv/bin/python scripts/check_wheel.py "$away"/dist/*.whl
.venv/bin/python -m venv --without-pip "$away/venv"
sh scripts/uv.sh pip install --quiet --python "$away/venv/bin/python" --constraint "$top/requirements/dev.lock" "$away"/dist/*.whl
megabytes=$(du -sm "$away/venv" | cut -f1)  # before it runs: what Python compiles is no part of the package

cd "$away"
where=$(venv/bin/python -c 'import paragone; print(paragone.__file__)')
case $where in
  "$away"/*) ;;
  *) echo "the installed package was not the one that ran: $where" >&2; exit 1 ;;
esac
venv/bin/paragone --help >/dev/null
printf 'one\nthree\nfive words are in here\ntwo words\n' >items.txt
venv/bin/paragone rank items.txt --criteria length --judge "command:venv/bin/python $top/examples/judge_command.py" \
  --seed 1 --budget 12 --json </dev/null >board.json
venv/bin/python -c 'import json; assert len(json.load(open("board.json"))["items"]) == 4'

echo "package: builds, installs and runs outside the checkout; $megabytes MB with its dependencies"
if [ "$megabytes" -ge 250 ]; then
  echo "the core without extras should stay under 250 MB" >&2
  exit 1
fi
