#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Wrong PINs by the engine "kanal": each costs one try, whatever the program and its children do, and a locked PIN is
# reported. The trace of an emulated token without a channel counts the tries.
# bats file_tags=apart
load ../common
load engine

setup_file() {
    prepare
    install_engine
    start_pcscd
}

# Each test has a token of its own.
setup() {
    cd "$work"
    [ ! -e .state ] || . ./.state
    detach
    rm -f trace
    attach usb "usb-$BATS_TEST_NUMBER" --trace "$work/trace"
    key="pkcs11:serial=$serial;object=gost256"
    by_kanal key generate --kind gost256 --label gost256
    spent=0
}

# The number of wrong PINs presented to the token: VERIFY that is answered by 63 and the tries that are left.
wrong() { grep -A 1 '^> ..20' trace | grep -c '^< 63' || true; }
# costs NUMBER: how many tries the test has spent since it asked last.
costs() {
    local now
    now=$(wrong)
    [ $((now - spent)) = "$1" ] || fail "$((now - spent)) tries instead of $1: $(cat output)"
    spent=$now
}

@test "a wrong PIN costs one try, in a process and its children" {
    with 0 ./engine again "$key?pin-value=87654321"
    costs 1
    printed 'C_Login: CKR_PIN_INCORRECT'
    [ "$(grep -c 'has refused this PIN before; it is not presented again' output)" = 3 ] || fail "$(cat output)"
    echo 87654321 > pin
    chmod 600 pin
    configure "authenticator = file:$work/pin"
    with 1 ./engine sign "$key"
    unconfigure
    costs 1
    with 0 ./engine sign "$key?pin-value=$pin"
    costs 0
}

# As for the library's authenticator.
@test "a PIN is read from a file that its owner alone can reach, and from a credential" {
    local mode
    refused() {
        with 0 ./engine again "$key?pin-source=$1"
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
        with 0 ./engine sign "$key?pin-source=file:$work/secret"
        with 0 ./engine sign "$key?pin-source=FILE://LocalHost$work/secret"
        with 0 ./engine sign "$key?pin-source=file://$work/%2573ecret"
    done
    ln -s secret link
    refused "$work/link" 'it is a link; name the file itself'
    mkfifo --mode 600 fifo
    refused "$work/fifo" 'it is not a regular file'
    refused "$work/folder" 'it is not a regular file'
    ln secret second
    refused "$work/secret" 'it has several hard links'
    rm second
    if [ "$(id -u)" = 0 ]; then
        chown nobody secret
        refused "$work/secret" 'it belongs to another user.*chown'
        chown root secret
    fi
    mv secret credentials
    chmod 440 credentials/secret
    refused "$work/credentials/secret" 'group or others have access'
    CREDENTIALS_DIRECTORY=$work/credentials with 0 ./engine sign "$key?pin-source=$work/credentials/secret"
    chmod 444 credentials/secret
    CREDENTIALS_DIRECTORY=$work/credentials refused "$work/credentials/secret" 'group or others have access'
    costs 0
}

# The PIN is changed while a program has its key: its children learn of it, by one try of them all.
@test "of eight workers with a PIN that has become wrong one presents it" {
    mkfifo lines
    OPENSSL_CONF=$work/kanal.cnf ./engine workers "$key?pin-value=$pin" < lines > said 2> errors 3>&- &
    adopt $!
    exec 9> lines
    wait_until grep -q ready said || fail "no key: $(cat errors)"
    echo sign >&9
    wait_until grep -q signed said || fail "no signature: $(cat errors)"
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --change-pin --new-pin 11223344
    printf 'sign\nsign\n' >&9
    wait_until sh -c '[ "$(grep -c failed said)" = 2 ]' || fail "a signature with a wrong PIN: $(cat said errors)"
    costs 1
    exec 9>&-
}

@test "a locked PIN is told" {
    local number
    for number in {1..20}; do
        with 1 ./engine sign "$key?pin-value=87650$number"
        ! grep -q 'the PIN is locked' output || break
    done
    printed 'the PIN is locked'
    with 1 ./engine sign "$key?pin-value=$pin"
    printed 'the PIN is locked'
}
