#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No branch and no memory index depends on a secret: valgrind takes keys, nonces, PINs and messages for unknown, and has
# nothing to report of any function that is claimed to be constant time. Of a deliberate table lookup and two deliberate
# branches, one of them after an answer that is public, it has.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

log=$work/log

# Valgrind offers no AVX-512, so that the program proves the paths for lesser processors.
run() {
    timeout 300 valgrind --quiet --error-exitcode=99 --suppressions=Tests/Scripts/Safety/constant-time.supp \
        .build/release/constant-time "$@"
}

swift build -c release --disable-local-rpath --product constant-time

for leak in table answer branch; do
    status=0
    run "$leak" > "$log" 2>&1 || status=$?
    [ "$status" = 99 ] && grep -q "^LEAKS.best.$leak\$" "$log" || fail "the $leak of the test goes unnoticed: $(cat "$log")"
done

run > "$log" 2>&1 || fail "$(cat "$log")"
tail -n 1 "$log"
echo "constant-time.sh: passed"
