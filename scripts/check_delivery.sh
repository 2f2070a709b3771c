#!/bin/sh
# Checks what paragone is delivered with as far as a machine without Docker, systemd and Kubernetes can: compose.yaml and
# the manifests against their schemas, the unit, and with a clean root file system (scripts/check_image.py) the Dockerfile.
#
#     sh scripts/check_delivery.sh [ROOT ...]
set -eu
cd "${0%/*}/.."
trap 'rm -rf "$tools"' EXIT
tools=$(mktemp -d)

# Their schemas take 100 MB, which the environment of development does without.
.venv/bin/python -m venv "$tools/venv"
"$tools/venv/bin/pip" install -qq --disable-pip-version-check check-jsonschema kubernetes-validate
"$tools/venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec compose.yaml
for manifest in deploy/kubernetes/*.yaml; do
  "$tools/venv/bin/kubernetes-validate" --strict "$manifest"
done
if systemd-analyze --version >/dev/null 2>&1; then
  for unit in deploy/systemd/*; do
    # The program is installed where the unit runs, and that may not be here.
    sed 's|/opt/paragone/bin/paragone|/bin/true|' "$unit" >"$tools/${unit##*/}"
    systemd-analyze verify "$tools/${unit##*/}"
  done
fi
if [ $# -gt 0 ]; then
  python3 scripts/check_image.py "$@"
else
  echo "delivery: the Dockerfile was not run; name a clean root file system for that, see scripts/check_image.py"
fi
