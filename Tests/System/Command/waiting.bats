#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A pcscd that does not respond: a command that waits for it reports that after three seconds, once, and goes on when it
# responds. With a responding one, nothing is reported.
# bats file_tags=command
load ../common

setup_file() {
    prepare
    start_pcscd
}

@test "a command that waits for a silent pcscd says so after 3 seconds, and goes on when it responds" {
    needs_own_pcscd
    for command in readers "info nobody" list ""; do
        kill -STOP "$pcscd"
        { "$kanal" $command > output 2> errors 3>&- || true; } &
        waiting=$!
        sleep 2
        not_printed pcscd errors
        sleep 2.5
        printed "^kanal: pcscd, or a reader, has not responded for 3 seconds" errors
        sleep 4
        kill -CONT "$pcscd"
        wait "$waiting"
        [ "$(grep -c "has not responded" errors)" = 1 ] || fail "kanal $command: said more than once: $(cat errors)"
        "$kanal" $command > again 2> quiet || true
        not_printed "has not responded" quiet
        cmp -s output again || fail "kanal $command: another result than without the wait: $(cat output)"
    done
}

@test "it says so in Russian" {
    needs_own_pcscd
    kill -STOP "$pcscd"
    LC_ALL=C.UTF-8 LANGUAGE=ru "$kanal" readers > output 2> errors 3>&- &
    waiting=$!
    sleep 4.5
    # The first may end it already.
    kill -INT "$waiting"
    kill -INT "$waiting" 2> /dev/null || true
    kill -CONT "$pcscd"
    wait "$waiting" || true
    printed "pcscd или считыватель не отвечает уже 3 секунды" errors
}
