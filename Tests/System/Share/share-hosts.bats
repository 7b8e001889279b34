#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Hosts that work with one shared token at once, for three seconds, or ten minutes by night, each with pairing, login and key of
# its own; and a host without a login.
# bats file_tags=share
load ../common
load far

setup_file() {
    prepare share
    can_be_two || return 0
    two_machines
}

# A user of the far machine by a name.
host() {
    local home=$work/home-$1
    mkdir -p "$home/.config/kanal"
    echo 'wireless_readers = Virtual PCD*' > "$home/.config/kanal/kanal.conf"
    user=(far env HOME="$home" XDG_CONFIG_HOME="$home/.config" XDG_DATA_HOME="$home/.local/share"
        XDG_STATE_HOME="$home/.local/state")
}

@test "no host gets the login of another, nor a signature of another key" {
    local name number seconds applications=() user
    seconds=$(amount 3 600)
    insert usb near --trace trace
    start_share
    told_password > password
    for name in one two three; do
        host $name
        expect 0 "${user[@]}" "$kanal" pair --password-source file:password
        [ $name = three ] || expect 0 "${user[@]}" pkcs11-tool --module "$module" --login --pin $pin --keypairgen \
            --key-type GOSTR3410-2012-256:A --id "$(printf $name | od -An -tx1 | tr -d ' \n')"
    done
    slot=$({ "${user[@]}" ./activate "$serial" || true; } | sed -n 's/^slot: //p')

    applications=()
    for name in one two; do
        host $name
        "${user[@]}" ./share "$slot" $pin $name "$seconds" $((seconds / 600 + 1)) > "share.$name" 2>&1 3>&- &
        applications+=($!)
    done
    host three
    while kill -0 "${applications[0]}" 2> /dev/null; do
        expect 0 "${user[@]}" pkcs11-tool --module "$module" --list-objects
        printed 'Public Key Object'
        not_printed 'Private Key Object'
        sleep $((seconds > 60 ? 5 : 1))
    done
    for name in one two; do
        wait "${applications[0]}" || fail "host $name: $(cat "share.$name")"
        applications=("${applications[@]:1}")
        number=$(sed -n 's/^rounds: //p' "share.$name")
        [ "$number" -gt 0 ] || fail "host $name did nothing"
    done
    [ "$(grep -c '"event":"opened"' share.log)" -gt 5 ] || fail "the hosts did not take turns: $(cat share.log)"
}
