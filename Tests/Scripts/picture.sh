#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/demo.svg, which the README shows, is what the demonstration prints today.
#
#   picture.sh [accept]
#
# With "accept" it draws the picture again.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

Tests/Scripts/demo.sh > "$work/output" || { cat "$work/output"; exit 1; }
docs/picture.py "make demo" < "$work/output" > "$work/demo.svg"
if [ "${1:-}" = accept ]; then
    cat "$work/demo.svg" > docs/demo.svg
elif ! diff -u docs/demo.svg "$work/demo.svg"; then
    echo "picture.sh: the demonstration prints something else than docs/demo.svg shows: \"$0 accept\" draws it" >&2
    exit 1
fi
echo "ok: docs/demo.svg shows what the demonstration prints"
