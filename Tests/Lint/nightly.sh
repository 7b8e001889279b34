#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A run of Tests/nightly.sh goes on after a failed step, reports each, and fails; it names its commit if it was whole.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

cat > "$work/steps" << 'STEPS'
# A comment.
first  echo "$seconds seconds, $rounds rounds"
second echo told; false | cat; exit 3
third  sleep 1; test -s "$results/second.log"
wait1  & echo quiet; until test -e "$results/fifth.log"; do sleep 0.1; done
fourth grep -q . "$results/table"; test ! -s "$results/wait2.log"
wait2  & false
fifth  echo five
STEPS
export results=$work/results
run() { Tests/nightly.sh -f "$work/steps" -o "$results" "$@" > "$work/output" 2>&1; }
in_table() { grep -Eq "^$1  *$2  *[0-9]+\$" "$results/table" || fail "no $1 $2 in: $(cat "$work/output")"; }

# A tree of its own, so that this one may have changes.
git clone -q --no-checkout "file://$PWD" "$work/clone" --depth 1
export GIT_DIR=$work/clone/.git GIT_WORK_TREE=$work/clone
git checkout -q

! run || fail "a step has failed, and the run has not"
in_table first passed
in_table second FAILED
for step in third wait1 fourth fifth; do in_table $step passed; done
in_table wait2 FAILED
grep -qx quiet "$results/wait1.log" || fail "no log of a step beside others"
! grep -qx quiet "$work/output" || fail "a step beside others prints into them"
grep -qx told "$results/second.log" || fail "no log: $(ls "$results")"
grep -q '^third  *passed  *[1-9]' "$work/output" || fail "the table is not printed: $(cat "$work/output")"
[ "$(cat "$results/commit")" = "$(git rev-parse HEAD)" ] || fail "a whole run does not name its commit"
passed "a step that fails fails the run, which goes on; steps that wait run beside the others, one at a time"

grep -q '^first  *passed' "$results/table" || fail "no table"
run first third || fail "$(cat "$work/output")"
[ "$(wc -l < "$results/table")" = 2 ] || fail "not two steps: $(cat "$results/table")"
[ ! -e "$results/commit" ] || fail "a part of the steps names its commit"
! run sixth || fail "a step that there is not"
grep -q 'no step sixth, but: first second third wait1 fourth wait2 fifth' "$work/output" || fail "$(cat "$work/output")"
echo >> "$GIT_WORK_TREE/README.md"
! run || fail "a step has failed, and the run has not"
[ ! -e "$results/commit" ] || fail "a changed tree names its commit"
passed "a part of the steps, or a changed tree, names no commit"

# Every command and every file of checks is there.
while read -r command; do
    [ -e "$command" ] || fail "Tests/nightly.txt: there is no $command"
done < <(grep -oE 'Tests/[A-Za-z/-]*\.(sh|bats)' Tests/nightly.txt)
echo "nightly.sh: passed"
