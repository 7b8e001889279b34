#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Signatures a second by OpenSSL's engine and provider "kanal", and by the module's own C_Sign, with a GOST key of emulated tokens;
# then the provider's digests and ciphers through EVP, its kernels, and gost-engine: six minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/Scripts/common.sh

export OPENSSL_ENGINES=$work/lib/engines-3
mkdir -p "$OPENSSL_ENGINES"
ln -s "$(pkg-config libcrypto --variable=enginesdir)/gost.so" "$root/.build/release/engines-3/kanal.so" \
    "$OPENSSL_ENGINES"
ln -s "$module" "$work/lib"
# shellcheck disable=SC2046
cc -O2 -Wall -Wextra -Werror Benchmarks/Engine/engine.c -o "$work/engine" -pthread \
    $(pkg-config --cflags p11-kit-1) -lcrypto

objects=$root/.build/release/provider.build
# shellcheck disable=SC2046
cc -O2 -Wall -Wextra -Werror -ISources/GOSTKernels/include Benchmarks/Engine/evp.c \
    $(find "$objects/GOSTKernels" -name '*.o') -o "$work/evp" -lcrypto

prepare
printf '%s\n' 'openssl_conf = main' '[main]' 'engines = engines' '[engines]' 'kanal = kanal' '[kanal]' \
    'engine_id = kanal' "PIN = $pin" > kanal.cnf
printf '%s\n' 'openssl_conf = main' '[main]' 'providers = providers' '[providers]' 'default = default_provider' \
    'kanal = kanal' '[default_provider]' 'activate = 1' '[kanal]' 'activate = 1' "MODULE_PATH = $module" "PIN = $pin" \
    > provider.cnf
start_pcscd
echo '| | by OpenSSL (1/s) | C_Sign (1/s) | ratio | half of the ratios |'
echo '| --- | ---: | ---: | ---: | ---: |'
for identity in usb bt; do
    attach $identity $identity
    if [ $identity = bt ]; then
        configure 'wireless_readers = Virtual PCD *'
        PASSWORD=$password expect 0 "$kanal" pair --password-source env:PASSWORD
    fi
    PIN=$pin expect 0 "$kanal" key generate --kind gost256 --label gost256 --pin-source env:PIN
    for threads in 1 16; do
        case $identity in usb) text="without a channel" ;; bt) text="in the secure channel" ;; esac
        OPENSSL_CONF=$work/kanal.cnf expect 0 ./engine "$module" "$slot" gost256 $threads
        echo "| engine, $text, threads: $threads | $(cat output) |"
        OPENSSL_CONF=$work/provider.cnf OPENSSL_MODULES=$root/.build/release/ossl-modules expect 0 \
            ./engine "$module" "$slot" pkcs11:object=gost256 $threads
        echo "| provider, $text, threads: $threads | $(cat output) |"
    done
    detach
done
echo
OPENSSL_CONF=/dev/null OPENSSL_MODULES=$root/.build/release/ossl-modules ./evp
