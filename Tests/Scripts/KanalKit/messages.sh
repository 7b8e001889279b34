#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# messages.sh [MEBIBYTES]: signs files of that size, or 2048, with keys of a token by the example "messages" of KanalKit,
# and lets OpenSSL verify them, and the other way round: with the content in the message and beside it. No program of
# KanalKit may take more than 64 MiB of memory.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

size=${1:-2048}
# The greatest message, in MiB, that OpenSSL 3.0 reads, which it does as a whole.
openssl_limit=1500

# The directory of the built examples; examples.sh sets it.
if [ -z "${JOURNEYS:-}" ]; then
    swift build -c release --package-path Examples/KanalKit --scratch-path "$root/.build/messages" --product messages
    JOURNEYS=$root/.build/messages/release
fi

# run WORD...: runs the example, and prints its time and memory.
run() {
    local start=$EPOCHREALTIME
    timeout 1800 "$JOURNEYS/messages" "$@" > output 2>&1 || fail "messages $*: $(cat output)"
    local memory=$(sed -n 's/^memory: \([0-9]*\) MiB$/\1/p' output)
    [ "$memory" -le 64 ] || fail "messages $*: $memory MiB of memory"
    case $1 in
        sign) printf '    sign %-12s' "$2" ;;
        verify|compare) printf '    %-17s' "$1" ;;
        *) return ;;
    esac
    [ "${2:-}" = pieces ] || printed '^done: 100 %$'
    awk "BEGIN { printf \"%6.1f s, $memory MiB\n\", $EPOCHREALTIME - $start }"
}
# Lets OpenSSL do something.
openssl_run() { timeout 1800 openssl "$@" > openssl.log 2>&1 || fail "openssl $*: $(cat openssl.log)"; }
verify=(cms -verify -cades -binary -inform DER -CAfile root.pem -purpose any)

prepare
start_pcscd
attach usb usb

openssl_run req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout root.key -out root.pem -days 30 \
    -subj /CN=Root -addext basicConstraints=CA:true
openssl_run x509 -in root.pem -outform DER -out root
# Mostly zeros, which take no room on the disk, and some other bytes at both ends.
head -c 1000 /dev/urandom > content
truncate -s "$size"M content
printf 'the end' >> content

for kind in gost256 p256; do
    run request $pin $kind request
    openssl_run x509 -req -in request -inform DER -CA root.pem -CAkey root.key -CAcreateserial -outform DER \
        -out certificate -days 30
    run import $pin certificate
    for form in beside inside pieces; do
        run sign $form $pin content message
        if [ $form = beside ]; then
            openssl_run "${verify[@]}" -in message -content content -out /dev/null
            run compare root message content
        else
            if [ "$size" -le $openssl_limit ]; then
                openssl_run "${verify[@]}" -in message -out output.openssl
                cmp content output.openssl || fail "OpenSSL reads another content"
                rm output.openssl
            fi
            run verify root message output.kanal
            cmp content output.kanal || fail "another content is read"
            rm output.kanal
        fi
    done
    passed "$size MiB are signed with $kind, and verified by OpenSSL"
done

for kind in 'gost2012_256 -pkeyopt paramset:A' 'ec -pkeyopt ec_paramgen_curve:prime256v1'; do
    # shellcheck disable=SC2086
    openssl_run req -newkey $kind -nodes -keyout key -out request -subj /CN=Signer
    openssl_run x509 -req -in request -CA root.pem -CAkey root.key -CAcreateserial -out signer.pem -days 30
    sign=(cms -sign -cades -binary -in content -signer signer.pem -inkey key -outform DER -out message)
    [[ $kind == ec* ]] || sign+=(-md md_gost12_256)
    openssl_run "${sign[@]}"
    run compare root message content
    openssl_run "${sign[@]}" -nodetach -stream
    run verify root message output.kanal
    cmp content output.kanal || fail "another content is read"
    rm output.kanal message
    passed "$size MiB that OpenSSL has signed with ${kind%% *} are verified"
done

printf x | dd of=content bs=1 seek=$((size * 524288)) conv=notrunc status=none
openssl_run "${sign[@]}"
printf y | dd of=content bs=1 seek=$((size * 524288)) conv=notrunc status=none
expect 1 "$JOURNEYS/messages" compare root message content
passed "an octet in the middle counts"
echo "messages.sh: passed"
