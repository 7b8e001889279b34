#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two hosts that work with one shared token at once, for a number of seconds, each with pairing, login and key of its
# own; and one that has no login. No host gets the login of another, nor a signature of another key.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/Share/far.sh

seconds=${1:-600}

# A user of the far machine by a name.
host() {
    local home=$work/home-$1
    mkdir -p "$home/.config/kanal"
    echo 'wireless_readers = Virtual PCD*' > "$home/.config/kanal/kanal.conf"
    user=(far env HOME="$home" XDG_CONFIG_HOME="$home/.config" XDG_DATA_HOME="$home/.local/share"
        XDG_STATE_HOME="$home/.local/state")
}

prepare share
make_machines
start_pcscd
start_far_pcscd
insert usb near --trace trace
start_share
for name in one two three; do
    host $name
    [ -e password ] || sed -n 's/.*"password":"\([^"]*\)".*/\1/p' share.log > password
    expect 0 "${user[@]}" "$kanal" pair --password-source file:password
    [ $name = three ] || expect 0 "${user[@]}" pkcs11-tool --module "$module" --login --pin $pin --keypairgen \
        --key-type GOSTR3410-2012-256:A --id "$(printf $name | od -An -tx1 | tr -d ' \n')"
done
slot=$({ "${user[@]}" ./activate "$serial" || true; } | sed -n 's/^slot: //p')

applications=()
for name in one two; do
    host $name
    "${user[@]}" ./share "$slot" $pin $name "$seconds" $((seconds / 600 + 1)) > "share.$name" 2>&1 &
    applications+=($!)
done
host three
looks=0
while kill -0 "${applications[0]}" 2> /dev/null; do
    expect 0 "${user[@]}" pkcs11-tool --module "$module" --list-objects
    printed 'Public Key Object'
    ! grep -q 'Private Key Object' output || fail "a host without a login sees private keys: $(cat output)"
    looks=$((looks + 1))
    sleep $((seconds > 60 ? 5 : 1))
done
rounds=
for name in one two; do
    wait "${applications[0]}" || fail "host $name: $(cat "share.$name")"
    applications=("${applications[@]:1}")
    number=$(sed -n 's/^rounds: //p' "share.$name")
    [ "$number" -gt 0 ] || fail "host $name did nothing"
    rounds="$rounds $number"
done
[ "$(grep -c '"event":"opened"' share.log)" -gt 5 ] || fail "the hosts did not take turns: $(cat share.log)"
passed "two hosts in $seconds seconds:$rounds signatures, each of its own key; a third saw no private key ($looks looks)"
echo "share-hosts.sh: passed"
