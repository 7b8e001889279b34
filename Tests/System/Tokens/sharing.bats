#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Applications that work with one token at once: two, which have a session of the channel each, and five, which take four
# sessions from each other. None may lose its login, get a wrong answer, or grow.
# bats file_tags=pcscd,long
load ../common

setup_file() {
    prepare share
    start_pcscd
    attach bt shared
    ./activate "$serial" "$password" > /dev/null
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen \
        --key-type GOSTR3410-2012-256:A --id "$(printf shared | od -An -tx1 | tr -d ' \n')"
}

# share COUNT REFUSALS: runs COUNT applications and compares the resources of each at its begin and at its end.
share() {
    local number applications=() log begin end
    for number in $(seq "$1"); do
        ./share "$slot" $pin shared "$seconds" "$2" > "share.$number" 2>&1 3>&- &
        applications+=($!)
    done
    for number in $(seq "$1"); do
        wait "${applications[number - 1]}" || fail "application $number of $1: $(cat "share.$number")"
        log=$(< "share.$number")
        begin=$(sed -n 's/^begin: //p' <<< "$log")
        end=$(sed -n 's/^end: //p' <<< "$log")
        [ "${begin#*, }" = "${end#*, }" ] || fail "application $number of $1 keeps files open: $log"
        [ $((${end%% *} - ${begin%% *})) -lt 2048 ] || fail "application $number of $1 grows: $log"
    done
}

seconds=$(amount 10 "${seconds:-60}")

@test "two applications share a token" { share 2 0; }

# An application that has lost its session once asks for it first for ten minutes.
@test "five applications share a token, which has four sessions" { share 5 $((seconds / 600 + 1)); }
