#!/bin/sh
# Fails where requirements/*.lock is not what pyproject.toml asks for, names a registry or admits what must stay out.
set -eu
cd "${0%/*}/.."
trap 'rm -rf "$fresh"' EXIT
fresh=$(mktemp -d)

# The versions chosen before are kept as they are, so that a new release somewhere does not fail this check.
cp requirements/*.lock pyproject.toml "$fresh"
compile() {
  sh scripts/uv.sh pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header "$@"
}
compile --all-extras --group dev pyproject.toml -o "$fresh/dev.lock" >/dev/null
compile --extra local --group demo -c "$fresh/dev.lock" --no-annotate pyproject.toml -o "$fresh/demo.lock" >/dev/null
compile --extra web --extra postgres --extra telemetry --extra fast --extra parquet --extra workers -c "$fresh/dev.lock" --no-annotate \
  pyproject.toml -o "$fresh/image.lock" >/dev/null
compile --group setup -o "$fresh/setup.lock" >/dev/null
compile --group peers --no-annotate -c "$fresh/dev.lock" -o "$fresh/peers.lock" >/dev/null

for lock in dev demo image setup peers; do
  if ! diff -u "requirements/$lock.lock" "$fresh/$lock.lock"; then
    echo "requirements/$lock.lock is not what pyproject.toml asks for: make lock" >&2
    exit 1
  fi
done
if grep -nE '://|--(extra-)?index-url|--find-links' requirements/*.lock; then
  echo "a lock names where packages come from; that is up to the machine" >&2
  exit 1
fi
if grep -nE '^(torch|litellm|llama-cpp-python)==' requirements/*.lock; then
  echo "that package must stay out of the lock" >&2
  exit 1
fi
echo "locks: $(grep -c '==' requirements/dev.lock) packages, up to date"
