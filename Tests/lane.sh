#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lane.sh LANE: runs the steps of a lane of Tests/ci.txt, then the files of Tests/System that have the lane among their tags,
# without tests of the night, up to the first that fails. The output of a step appears when it ends, in one piece.
set -euo pipefail
cd "$(dirname "$0")/.."

steps=$(
    sed -n "s/^$1  *//p" Tests/ci.txt
    { grep -rlE "^# bats file_tags=(.*,)?$1(,|\$)" --include='*.bats' Tests/System || true; } | sort \
        | sed "s/^/Tests\/System\/apart bats --filter-tags '!night' /"
)
[ -n "$steps" ] || { echo "Tests/ci.txt has no lane $1" >&2; exit 64; }
# A make in a step is not a sub-make of the make that runs this.
unset MAKEFLAGS MAKELEVEL
# What checks the sources has the modules of the tests: a second build, in debug, is that of "make check".
export KANAL_CONFIGURATION=release
output=$(mktemp)
trap 'rm -f "$output" "$output.times"' EXIT
TIMEFORMAT='%0U + %0S'
while read -r step; do
    status=0
    begin=$SECONDS
    printf '\n%s\n' "$step" > "$output"
    { time bash -o pipefail -c "$step" < /dev/null >> "$output" 2>&1; } 2> "$output.times" || status=$?
    printf '%s: exit status %d, %d s (%s s of a processor)\n' "$step" $status $((SECONDS - begin)) "$(< "$output.times")" >> "$output"
    flock Tests/ci.txt cat "$output"
    [ $status = 0 ] || exit 1
done <<< "$steps"
