#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Applications that work with one token at once, for a number of seconds: two, which have a session of the channel each,
# and five, which take four sessions from each other. None may lose its login, get a wrong answer, or grow.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

seconds=${1:-600}

# share COUNT REFUSALS: runs COUNT applications and compares the resources of each at its begin and at its end.
share() {
    local number applications=() log begin end rounds=0
    for number in $(seq "$1"); do
        ./share "$slot" $pin shared "$seconds" "$2" > "share.$number" 2>&1 &
        applications+=($!)
    done
    for number in $(seq "$1"); do
        wait "${applications[number - 1]}" || fail "application $number of $1: $(cat "share.$number")"
        log=$(< "share.$number")
        begin=$(sed -n 's/^begin: //p' <<< "$log")
        end=$(sed -n 's/^end: //p' <<< "$log")
        [ -n "$begin" ] || fail "application $number of $1 had less than 20 rounds: $log"
        [ "${begin#*, }" = "${end#*, }" ] || fail "application $number of $1 keeps files open: $log"
        [ $((${end%% *} - ${begin%% *})) -lt 2048 ] || fail "application $number of $1 grows: $log"
        rounds=$((rounds + $(sed -n 's/^rounds: //p' <<< "$log")))
    done
    echo "ok: $1 applications at once, $rounds rounds in $seconds seconds"
}

prepare share
start_pcscd
attach bt shared
./activate "$serial" "$password" > /dev/null
pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A \
    --id "$(printf shared | od -An -tx1 | tr -d ' \n')" > output 2>&1 || fail "no key: $(cat output)"
share 2 0
# An application that has lost its session once asks for it first for ten minutes.
share 5 $((seconds / 600 + 1))
echo "sharing.sh: passed"
