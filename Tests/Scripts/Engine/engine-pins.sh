#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wrong PINs by the engine "kanal": each costs one try, whatever the program and its children do, and a locked PIN is
# told. The trace of an emulated token without a channel counts the tries.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

export OPENSSL_ENGINES=$work/lib/engines-3
use() { OPENSSL_CONF=$work/kanal.cnf expect "$@"; }

settings() {
    mkdir -p "$OPENSSL_ENGINES"
    ln -s "$(pkg-config libcrypto --variable=enginesdir)/gost.so" "$root/.build/release/engines-3/kanal.so" \
        "$OPENSSL_ENGINES"
    ln -s "$module" lib
    printf '%s\n' 'openssl_conf = main' '[main]' 'engines = engines' '[engines]' 'kanal = kanal' '[kanal]' \
        'engine_id = kanal' > kanal.cnf
    cc -O2 -Wall -Wextra -Werror "$root/Tests/Programs/Engine/engine.c" -o engine -pthread -lcrypto
}

# How often a PIN that was wrong was presented to the token: VERIFY that is answered by 63 and the tries that are left.
wrong() { grep -A 1 '^> ..20' trace | grep -c '^< 63' || true; }
# costs NUMBER: how many tries were spent since this was asked last.
spent=0
costs() {
    local now
    now=$(wrong)
    [ $((now - spent)) = "$1" ] || fail "$((now - spent)) tries instead of $1: $(cat output)"
    spent=$now
}

once() {
    use 0 ./engine again "$key?pin-value=87654321"
    costs 1
    printed 'C_Login: CKR_PIN_INCORRECT'
    [ "$(grep -c 'has refused this PIN before; it is not presented again' output)" = 3 ] || fail "$(cat output)"
    echo 87654321 > pin
    chmod 600 pin
    configure "authenticator = file:$work/pin"
    use 1 ./engine sign "$key"
    unconfigure
    costs 1
    use 0 ./engine sign "$key?pin-value=$pin"
    costs 0
    passed "a wrong PIN costs one try, in a process and its children"
}

# A file with a PIN is its user's alone, as for the library's authenticator.
files() {
    local mode
    refused() {
        use 0 ./engine again "$key?pin-source=$1"
        printed "pin-source .*$2"
    }
    mkdir -p folder credentials
    refused file:secret 'has to be a path that begins with /'
    refused file://host/secret 'the URI of one on this machine'
    refused file:/secret%25zz 'two hexadecimal digits'
    refused file:/secret%2500 'two hexadecimal digits'
    echo $pin > secret
    for mode in 604 640 620 602; do
        chmod $mode secret
        refused "file:$work/secret" 'group or others have access; remove it (chmod 600)'
    done
    for mode in 400 600; do
        chmod $mode secret
        use 0 ./engine sign "$key?pin-source=file:$work/secret"
        use 0 ./engine sign "$key?pin-source=FILE://LocalHost$work/secret"
        use 0 ./engine sign "$key?pin-source=file://$work/%2573ecret"
    done
    ln -s secret link
    refused "$work/link" 'it is a link; name the file itself'
    mkfifo --mode 600 fifo
    refused "$work/fifo" 'it is not a regular file'
    refused "$work/folder" 'it is not a regular file'
    ln secret second
    refused "$work/secret" 'it has several names'
    rm second
    if [ "$(id -u)" = 0 ]; then
        chown nobody secret
        refused "$work/secret" 'it belongs to another user.*chown'
        chown root secret
    fi
    mv secret credentials
    chmod 440 credentials/secret
    refused "$work/credentials/secret" 'group or others have access'
    CREDENTIALS_DIRECTORY=$work/credentials use 0 ./engine sign "$key?pin-source=$work/credentials/secret"
    chmod 444 credentials/secret
    CREDENTIALS_DIRECTORY=$work/credentials refused "$work/credentials/secret" 'group or others have access'
    costs 0
    passed "a PIN is read from a file that its owner alone can reach, and from a credential"
}

# The PIN is changed while a program has its key: its children learn of it, by one try of them all.
changed() {
    mkfifo lines
    OPENSSL_CONF=$work/kanal.cnf ./engine workers "$key?pin-value=$pin" < lines > said 2> errors &
    others+=($!)
    exec 9> lines
    wait_until grep -q ready said || fail "no key: $(cat errors)"
    echo sign >&9
    wait_until grep -q signed said || fail "no signature: $(cat errors)"
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --change-pin --new-pin 11223344
    printf 'sign\nsign\n' >&9
    wait_until sh -c '[ "$(grep -c failed said)" = 2 ]' || fail "a signature with a wrong PIN: $(cat said errors)"
    costs 1
    exec 9>&-
    passed "of eight workers with a PIN that has become wrong one presents it"
}

locked() {
    for number in {1..20}; do
        use 1 ./engine sign "$key?pin-value=87650$number"
        grep -q 'the PIN is locked' output && break
    done
    printed 'the PIN is locked'
    use 1 ./engine sign "$key?pin-value=11223344"
    printed 'the PIN is locked'
    passed "a locked PIN is told"
}

prepare
settings
start_pcscd
attach usb usb --trace "$work/trace"
key="pkcs11:serial=$serial;object=gost256"
PIN=$pin expect 0 "$kanal" key generate --kind gost256 --label gost256 --pin-source env:PIN
once
files
changed
locked
echo "engine-pins.sh: passed"
