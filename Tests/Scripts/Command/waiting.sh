#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A pcscd that does not respond: a command that waits for it says so after three seconds, once, and goes on when it
# responds. With one that does, nothing is said.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
prepare ask
start_pcscd
[ -n "${pcscd:-}" ] || fail "this script needs a pcscd of its own: Tests/Scripts/apart.sh"

for command in readers "info nobody" list ""; do
    kill -STOP "$pcscd"
    { "$kanal" $command > output 2> errors || true; } &
    waiting=$!
    sleep 2
    ! grep -q pcscd errors || fail "kanal $command: it was said too early: $(cat errors)"
    sleep 2.5
    grep -q "^kanal: pcscd, or a reader, has not responded for 3 seconds" errors \
        || fail "kanal $command: nothing was said: $(cat errors)"
    sleep 4
    kill -CONT "$pcscd"
    wait "$waiting"
    [ "$(grep -c "has not responded" errors)" = 1 ] || fail "kanal $command: said more than once: $(cat errors)"
    "$kanal" $command > again 2> quiet || true
    ! grep -q "has not responded" quiet || fail "kanal $command: said of a pcscd that responds"
    cmp -s output again || fail "kanal $command: another result than without the wait: $(cat output)"
done
passed "a command that waits for a silent pcscd says so after 3 seconds, and goes on when it responds"

kill -STOP "$pcscd"
LC_ALL=C.UTF-8 LANGUAGE=ru "$kanal" readers > output 2> errors &
waiting=$!
sleep 4.5
# The first may end it already.
kill -INT "$waiting"
kill -INT "$waiting" 2> /dev/null || true
kill -CONT "$pcscd"
wait "$waiting" || true
grep -q "pcscd или считыватель не отвечает уже 3 секунды" errors || fail "not in Russian: $(cat errors)"
passed "the same in Russian"
