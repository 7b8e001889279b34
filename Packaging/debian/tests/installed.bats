#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The installed packages with a token in the virtual reader of pcscd. To be run from the root of the sources.
export KANAL_INSTALLED=yes
load "$PWD/Tests/System/common"

# Each test may be the only one, with no package but its own.
insert_token() {
    prepare
    unset OPENSSL_CONF
    [ -z "$token" ] || return 0
    start_pcscd
    attach usb token
}

# A request with a new GOST key of this label, by OpenSSL with options, verified with others: label, options, others.
request() {
    PIN=$pin expect 0 "$kanal" key generate --label "$1" --pin-source env:PIN
    # shellcheck disable=SC2086
    expect 0 openssl req -new $2 -key "pkcs11:object=$1?pin-value=$pin" -subj /CN=Kanal -out request.pem
    # shellcheck disable=SC2086
    expect 0 openssl req $3 -in request.pem -verify -noout
}

@test "a program in C is built with pkg-config's options, and runs" {
    local flags
    read -ra flags <<< "$(pkg-config --cflags --libs kanal-pkcs11)"
    expect 0 cc "$root/Tests/Programs/Module/linked.c" "${flags[@]}" -o linked
    expect 0 ./linked
    expect 0 cc /usr/share/doc/libkanal-dev/examples/activate.c "${flags[@]}" -o activate
}

@test "programs find the module by its path, by its name alone, and by p11-kit" {
    insert_token
    local tool=(--slot "$slot" --login --pin "$pin")
    expect 0 pkcs11-tool --module "$module" "${tool[@]}" --keypairgen --key-type rsa:2048 --id 01 --label key
    head -c 1000 /dev/urandom > message
    expect 0 pkcs11-tool --module libkanal-pkcs11.so "${tool[@]}" --sign -m SHA256-RSA-PKCS --id 01 -i message -o signature
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --read-object --type pubkey --id 01 -o key.der
    expect 0 openssl dgst -sha256 -verify key.der -keyform DER -signature signature message

    expect 0 p11-kit list-modules
    printed '^kanal: \|^module: kanal'
    printed "serial-number: $serial"
    expect 0 p11tool --list-tokens
    printed "serial=$serial"
}

@test "OpenSSL finds the engine by its name, and the engine the library" {
    insert_token
    export OPENSSL_CONF=/usr/share/doc/kanal/kanal-openssl.cnf
    expect 0 openssl engine -t kanal
    printed '\[ available \]'
    request engine "-engine kanal -keyform engine" "-engine gost"
}

@test "OpenSSL finds the provider by its name, and the provider the library" {
    insert_token
    export OPENSSL_CONF=/usr/share/doc/kanal/kanal-provider.cnf
    expect 0 openssl list -providers
    printed '^  kanal$'
    request provider "" ""
}
