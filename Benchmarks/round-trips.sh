#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Counts the commands that usual operations cost, and their time over a slow link: OpenSC as Debian has it, and Kanal
# with a plain token and in a secure channel, each on the same emulated token with the same six keys; if it is root and
# has a pcscd of its own (Tests/System/apart), also with a plain token that is its own reader on USB. Then what
# searches cost Kanal on tokens with many keys and certificates, and what key containers cost on a Rutoken Lite.
set -euo pipefail
cd "$(dirname "$0")/.."
benchmarks=$PWD/Benchmarks
. Tests/Scripts/common.sh
. Tests/System/usb-reader.bash
. Tests/System/containers.bash

# The delay of each reply, in milliseconds.
latency=${1:-30}

# Makes two pairs of GOST keys and one of RSA, with options of pkcs11-tool before.
make_keys() {
    expect 0 "$@" --login --pin $pin --keypairgen --key-type "$gost" --id 01 --label "GOST 1"
    expect 0 "$@" --login --pin $pin --keypairgen --key-type "$gost" --id 02 --label "GOST 2"
    expect 0 "$@" --login --pin $pin --keypairgen --key-type rsa:2048 --id 03 --label RSA
}

# Measures a library on a token that has its keys: name of the column, identity, library.
measure() {
    insert "$2" "$1" --trace "$work/trace" --latency "$latency"
    ./operations "$3" $pin "$work/trace" certificate.der > "$1.counts"
    detach
    rm trace
}

# Fills a token and measures searches: name of the column, identity, number of key pairs.
measure_full() {
    attach "$2" "$1"
    [ "$2" = usb3 ] || ./activate "$serial" "$password" > output
    ./full fill "$module" $pin "$3" certificate.der
    detach
    insert "$2" "$1" --trace "$work/trace" --latency "$latency"
    ./full measure "$module" $pin "$work/trace" "./full fill $module $pin 0 /dev/null" > "$1.counts"
    if [ "$2" = bt ]; then
        configure "cache = on"
        ./full search "$module" "$work/trace" > output
        ./full search "$module" "$work/trace" >> "$1.counts"
        unconfigure
    else
        echo 'first search of a known token, cache = on|–|–' >> "$1.counts"
    fi
    detach
    rm trace
}

# Measures a Rutoken Lite: name of the column, options for its containers.
measure_lite() {
    insert lite "$1" --trace "$work/trace" --latency "$latency" "${@:2}"
    ./operations "$module" $pin "$work/trace" certificate.der > "$1.counts"
    detach
    rm trace
}

prepare
cc -O2 -Wall -Wextra -Werror -I"$root/Include/CCryptoki" "$benchmarks/RoundTrips/full.c" -o full -ldl
cc -O2 -Wall -Wextra -Werror -I"$root/Include/CCryptoki" "$benchmarks/RoundTrips/operations.c" -o operations -ldl
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj "/CN=Kanal" -outform DER -out certificate.der \
    2> /dev/null
usb=
if can_seem_usb; then
    usb=yes
    seem_usb
    touch controls/virtual
    start_pcscd --config "$work/reader.conf"
else
    start_pcscd
fi
opensc=$(dpkg-query --listfiles opensc-pkcs11 | grep '/lib/[^/]*/opensc-pkcs11\.so$')

gost=GOSTR3410:A
insert usb3 opensc
expect 0 pkcs15-init --erase-card
expect 0 pkcs15-init --create-pkcs15 --so-pin 87654321 --so-puk "" --label opensc
expect 0 pkcs15-init --store-pin --label User --auth-id 02 --pin $pin --puk "" --so-pin 87654321 --finalize
make_keys pkcs11-tool --module "$opensc"
detach
measure opensc usb3 "$opensc"

attach usb3 plain
make_keys pkcs11-tool --module "$module" --slot "$slot"
detach
measure plain usb3 "$module"

for login in ${usb:+reset sticky}; do
    rm controls/virtual
    attach usb3 "usb-$login"
    make_keys pkcs11-tool --module "$module" --slot "$slot"
    detach
    configure "plain_login = $login"
    measure "usb-$login" usb3 "$module"
    unconfigure
    touch controls/virtual
done

attach bt channel
./activate "$serial" "$password" > output
make_keys pkcs11-tool --module "$module" --slot "$slot"
detach
measure channel bt "$module"

printf 'Commands and milliseconds of usual operations on a token with six keys, %s ms a reply:\n\n' "$latency"
version=$(dpkg-query --show --showformat='${Version}' opensc-pkcs11)
printf '| operation | OpenSC %s | Kanal, plain | Kanal, channel with batch |\n' "$version"
printf '| --- | ---: | ---: | ---: |\n'
paste -d '|' opensc.counts plain.counts channel.counts | awk -F '|' '{
    if ($1 != $4 || $1 != $7) exit 1
    printf "| %s | %s, %s ms | %s, %s ms | %s, %s ms |\n", $1, $2, $3, $5, $6, $8, $9
}' || fail "the libraries did not do the same"
if [ -n "$usb" ]; then
    printf '\nThe same of a plain token that is its own reader on USB, by plain_login:\n\n'
    printf '| operation | OpenSC %s | reset | sticky |\n| --- | ---: | ---: | ---: |\n' "$version"
    paste -d '|' opensc.counts usb-reset.counts usb-sticky.counts | awk -F '|' '{
        printf "| %s | %s, %s ms | %s, %s ms | %s, %s ms |\n", $1, $2, $3, $5, $6, $8, $9
    }'
fi

for count in 20 60; do
    measure_full "plain$count" usb3 $count
    measure_full "channel$count" bt $count
done
printf '\nThe same of searches on tokens with 20 and with 60 key pairs, a certificate of %s bytes for each:\n\n' \
    "$(stat -c %s certificate.der)"
printf '| operation | 20 pairs, plain | 60 pairs, plain | 20 pairs, channel | 60 pairs, channel |\n'
printf '| --- | ---: | ---: | ---: | ---: |\n'
paste -d '|' {plain,channel}{20,60}.counts | awk -F '|' '{
    printf "| %s | %s, %s ms | %s, %s ms | %s, %s ms | %s, %s ms |\n", $1, $2, $3, $5, $6, $8, $9, $11, $12
}' | sed 's/–, – ms/–/g'

with_containers 256-plain 256-xchb
measure_lite lite
measure_lite contained "${containers[@]}"
printf '\nThe same of a Rutoken Lite, without key containers and with two; the host computes the signature:\n\n'
printf '| operation | none | two containers |\n| --- | ---: | ---: |\n'
awk -F '|' 'FNR == NR { without[$1] = $2 ", " $3 " ms"; next }
    $1 ~ /^(first|later) search|^C_Sign/ {
        printf "| %s | %s | %s, %s ms |\n", $1, $1 in without ? without[$1] : "–", $2, $3
    }' lite.counts contained.counts
