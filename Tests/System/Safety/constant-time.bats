#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# No branch and no memory index depends on a secret: valgrind treats keys, nonces, PINs and messages as unknown, and has
# nothing to report of any function that is claimed to be constant time. Of a deliberate table lookup and two deliberate
# branches, one of them after an answer that is public, it has.
# bats file_tags=alone
load ../common

# The objects of the release build, which "make build" has left.
setup_file() {
    cd "$root"
    swift build -c release --disable-local-rpath --product constant-time 3>&-
}

# Valgrind offers no AVX-512, so that the program proves the paths for lesser processors.
checked() {
    local status=0
    timeout 300 valgrind --quiet --error-exitcode=99 --suppressions="$BATS_TEST_DIRNAME/constant-time.supp" \
        "$root/.build/release/constant-time" "${@:2}" > output 2>&1 || status=$?
    [ $status = "$1" ] || fail "exit status $status instead of $1: $(cat output)"
}

noticed() {
    checked 99 "$1"
    printed "^LEAKS.best.$1\$"
}

@test "a table lookup by a secret is noticed" { noticed table; }
@test "a branch on a secret behind a public answer is noticed" { noticed answer; }
@test "a branch on a secret is noticed" { noticed branch; }
@test "no branch and no memory index depends on a secret" { checked 0; }
