#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# share.sh [MILLISECONDS...]: the time of usual operations on a token of another machine, over a link whose round trip
# has a delay of so many milliseconds: by "kanal share" in both ways with a far end, by one without, by a forwarded socket of
# pcscd, and by a relay that passes on plain APDUs. The token has six keys. Two machines are made of namespaces, the link
# of a forwarder that delays. It is run by Tests/System/apart.
set -euo pipefail
cd "$(dirname "$0")/.."
benchmarks=$PWD/Benchmarks
. Tests/Scripts/common.sh
. Tests/System/Share/far.bash
[ -n "${KANAL_APART:-}" ] || fail "two machines are made by root, with Tests/System/apart"

link=
latencies=("$@")
[ $# -gt 0 ] || latencies=(0 20 100)
wanted='C_Login
first search of all objects
C_Sign, GOST
C_Sign, GOST, again
search and CKA_VALUE of the certificate'

# Starts the link: what it listens at, where it leads to.
start_link() {
    python3 "$benchmarks/Share/delay.py" "$latency" "$@" &
    link=$!
    adopt "$link"
    sleep 0.3
}

# Takes the times of a library on the far machine, in milliseconds: name of the column, environment.
take_times() {
    wait_until far env "${@:2}" ./activate "$serial" || fail "$1: no slot on the far machine"
    far env "${@:2}" ./operations "$module" $pin no-trace certificate.der > all 2>&1 || fail "$1: $(cat all)"
    while IFS= read -r name; do
        awk -F '|' -v name="$name" '$1 == name { print $3 }' all
    done <<< "$wanted" > "times.$1"
    [ "$(grep -c '^[0-9]' "times.$1")" = 5 ] || fail "$1: $(cat all)"
}

# Puts the token in as it was with six keys: identity, options.
put_in() {
    rm -rf "state.$1.now"
    cp -a "state.$1" "state.$1.now"
    "$emulator" --identity "$1" --state "state.$1.now" "${@:2}" > emulator.log 2>&1 &
    token=$!
    wait_until grep -q '^attached:' emulator.log || fail "the token is not attached: $(cat emulator.log)"
    # pcscd sees it a moment later.
    wait_until sh -c './readers | grep -q "^card .*Virtual PCD 00 00"' || fail "pcscd sees no token: $(./readers)"
    serial=$(sed -n 's/^serial: \([0-9a-f]*\).*/\1/p' emulator.log)
}

# As start_share, over the link: how the far reader is reached.
share_over_link() {
    "$kanal" share "$@" --json > share.log 2> share.errors &
    share=$!
    adopt "$share"
    happens 1 '"event":"connected"'
    wait_for far_has_card || fail "the token does not appear in the far reader: $(cat share.log share.errors)"
}

take_out() {
    stop "$token"
    token=
    [ -z "$share" ] || stop_share
    share=
    [ -z "$link" ] || stop "$link"
    link=
    wait_for far_has_no_card
    wait_until sh -c '! ./readers | grep -q "^card"'
}

prepare
cc -O2 -Wall -Wextra -Werror -I"$root/Include/CCryptoki" "$benchmarks/RoundTrips/operations.c" -o operations -ldl
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj "/CN=Kanal" -outform DER -out certificate.der \
    2> /dev/null
make_machines
start_pcscd
start_far_pcscd

# A user of the far machine who has paired with nothing: the one who has does not speak to the plain token.
plain=(HOME="$work/home-plain" XDG_CONFIG_HOME="$work/home-plain/.config" XDG_DATA_HOME="$work/home-plain/.local/share"
    XDG_STATE_HOME="$work/home-plain/.local/state")
mkdir "$work/home-plain"

# A token of each kind with six keys, paired with the far machine: the one by itself, the other by its share.
for identity in usb bt; do
    insert $identity state.$identity
    start_share
    pair_far
    for key in GOSTR3410-2012-256:A:01 GOSTR3410-2012-256:A:02 rsa:2048:03; do
        expect 0 far pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen \
            --key-type "${key%:*}" --id "${key##*:}" --label "key ${key##*:}"
    done
    stop_share
    detach
    wait_for far_has_no_card
done

printf 'Milliseconds of usual operations on a token with six keys in another machine:\n\n'
printf '| round trip | operation | share, terminating | share, through | without a far end | forwarded socket of pcscd '
printf '| plain relay |\n| ---: | --- | ---: | ---: | ---: | ---: | ---: |\n'
for latency in "${latencies[@]}"; do
    for identity in usb bt; do
        put_in $identity
        share_over_link --tunnel "python3 $benchmarks/Share/delay.py $latency - far $kanal share --far-end"
        take_times $identity LC_ALL=C
        take_out
    done

    start_link 35970 $far_address:35963
    put_in usb
    share_over_link --port 35970
    take_times direct LC_ALL=C
    take_out

    rm -f "$work/pcscd.sock"
    start_link "$work/pcscd.sock" /run/pcscd/pcscd.comm
    put_in usb
    take_times socket "${plain[@]}" PCSCLITE_CSOCK_NAME="$work/pcscd.sock"
    take_out

    start_link 35970 $far_address:35963
    put_in usb --port 35970
    take_times relay "${plain[@]}"
    take_out

    paste -d '|' <(echo "$wanted") times.usb times.bt times.direct times.socket times.relay \
        | awk -F '|' -v ms="$latency" '{ printf "| %s ms | %s | %s | %s | %s | %s | %s |\n", ms, $1, $2, $3, $4, $5, $6 }'
done
