#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages of "make rpm" in an empty root: what each of them has and wants, and that the library is loaded from there
# and does its work; then they are removed, and nothing stays.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

packages=$(realpath -m "${PACKAGES:-.build/packages}")/rpm
names=(libkanal-pkcs11 libkanal-devel kanal kanal-emulator kanal-openssl-engine kanal-openssl-provider)
target=$work/target
# The root has nothing of a system: neither what is wanted of others, nor shells for scriptlets.
manager() { rpm --root "$target" --dbpath /rpm "$@"; }
mkdir -p "$target"
manager --initdb
manager --install --nodeps --noscripts "$packages"/*.rpm || fail "the packages are not installed"
for name in "${names[@]}"; do
    manager --verify --nodeps "$name" > "$work/verified" || fail "$name: $(cat "$work/verified")"
done
manager --query --configfiles libkanal-pkcs11 | grep -qx /etc/kanal/kanal.conf || fail "the settings are no settings"
for name in libkanal-pkcs11 kanal kanal-emulator; do
    manager --query --requires $name > "$work/requires"
    grep -qxF '(libcrypto.so.3()(64bit) or libcrypto.so.4()(64bit))' "$work/requires" || fail "$name does not want libcrypto"
    ! grep '^libcrypto' "$work/requires" || fail "$name wants one version of libcrypto"
    # Of glibc no more than systems with 2.34 have.
    [ "$(grep -o 'GLIBC_[A-Z0-9_.]*' "$work/requires" | sort --version-sort | tail -n 1)" = GLIBC_2.34 ] \
        || fail "$name wants another glibc: $(grep GLIBC_ "$work/requires" | xargs)"
done
manager --query --requires libkanal-pkcs11 | grep -q '^libpcsclite\.so\.1()(64bit)' || fail "the library does not want libpcsclite"
for name in libkanal-devel kanal kanal-openssl-engine kanal-openssl-provider; do
    manager --query --requires "$name" | grep -q '^libkanal-pkcs11 = ' || fail "$name does not want the library"
done
! grep -rqI -e "$root" -e "$packages" "$target/usr/share" "$target/etc" || fail "a folder of this machine is written down"
passed "installed: $(cd "$target" && find . ! -type d ! -path './rpm/*' | wc -l) files of ${#names[@]} packages"

# The same files as the packages of Debian, if these were made of one build.
module=$target/usr/lib64/libkanal-pkcs11.so
kanal=$target/usr/bin/kanal
emulator=$target/usr/bin/kanal-emulator
prepare
start_pcscd
attach usb token
expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01
PIN=$pin expect 0 "$kanal" list --pin-source env:PIN
printed 'GOST'
OPENSSL_ENGINES=$target/usr/lib64/engines-3 expect 0 openssl engine -t kanal
printed '\[ available \]'
grep -qx 'module: /usr/lib64/libkanal-pkcs11.so' "$target/usr/share/p11-kit/modules/kanal.module" \
    || fail "p11-kit looks for another library"
OPENSSL_MODULES=$target/usr/lib64/ossl-modules expect 0 openssl list -provider kanal -providers
printed '^  kanal$'
passed "library, command, emulated token, engine and provider work from there"

manager --erase --nodeps --noscripts "${names[@]}"
[ -z "$(find "$target" ! -type d ! -path '*/rpm/*')" ] || fail "left: $(find "$target" ! -type d ! -path '*/rpm/*')"
passed "removed: nothing is left"
