#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The packages of "make rpm" in an empty root, which has nothing of a system: neither what they want of others, nor shells for
# scriptlets.
# bats file_tags=night
load ../common

packages=$(realpath -m "${PACKAGES:-$root/.build/packages}")/rpm
names=(libkanal-pkcs11 libkanal-devel kanal kanal-emulator kanal-openssl-engine kanal-openssl-provider)
target=$work/target

manager() { rpm --root "$target" --dbpath /rpm "$@"; }

setup_file() {
    prepare
    mkdir "$target"
    manager --initdb
    manager --install --nodeps --noscripts "$packages"/*.rpm || fail "the packages are not installed"
}

@test "the packages are whole, with settings as such, and no folder of this machine is written down" {
    local name
    for name in "${names[@]}"; do
        manager --verify --nodeps "$name" > output || fail "$name: $(cat output)"
    done
    manager --query --configfiles libkanal-pkcs11 > output
    printed '^/etc/kanal/kanal.conf$'
    refute grep -rqI -e "$root" -e "$packages" "$target/usr/share" "$target/etc"
}

@test "packages want either libcrypto, the library, and a glibc that systems with 2.34 have" {
    local name
    for name in libkanal-pkcs11 kanal kanal-emulator; do
        manager --query --requires $name > output
        grep -qxF '(libcrypto.so.3()(64bit) or libcrypto.so.4()(64bit))' output || fail "$name does not want libcrypto"
        not_printed '^libcrypto'
        [ "$(grep -o 'GLIBC_[A-Z0-9_.]*' output | sort --version-sort | tail -n 1)" = GLIBC_2.34 ] \
            || fail "$name wants another glibc: $(grep GLIBC_ output | xargs)"
    done
    manager --query --requires libkanal-pkcs11 > output
    printed '^libpcsclite\.so\.1()(64bit)'
    for name in libkanal-devel kanal kanal-openssl-engine kanal-openssl-provider; do
        manager --query --requires "$name" > output
        printed '^libkanal-pkcs11 = '
    done
}

# The same files as the packages of Debian, if these were made of one build.
@test "library, command, emulated token, engine and provider work from there" {
    module=$target/usr/lib64/libkanal-pkcs11.so
    emulator=$target/usr/bin/kanal-emulator
    start_pcscd
    attach usb token
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01
    PIN=$pin expect 0 "$target/usr/bin/kanal" list --pin-source env:PIN
    printed 'GOST'
    OPENSSL_ENGINES=$target/usr/lib64/engines-3 expect 0 openssl engine -t kanal
    printed '\[ available \]'
    printed '^module: /usr/lib64/libkanal-pkcs11.so$' "$target/usr/share/p11-kit/modules/kanal.module"
    OPENSSL_MODULES=$target/usr/lib64/ossl-modules expect 0 openssl list -provider kanal -providers
    printed '^  kanal$'
}

# The last test, as nothing is installed after it.
@test "a removal leaves nothing" {
    manager --erase --nodeps --noscripts "${names[@]}"
    [ -z "$(find "$target" ! -type d ! -path '*/rpm/*')" ] || fail "left: $(find "$target" ! -type d ! -path '*/rpm/*')"
}
