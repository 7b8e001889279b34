#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# provider-ciphers.sh: ciphers, digests and codes of the provider "kanal" against published vectors, in pieces of many lengths
# and with each set of instructions, and with none, under AddressSanitizer, too; against gost-engine, by another version of
# OpenSSL with ROOT=DIRECTORY; and no branch or address depends on a secret.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/Scripts/Provider/settings.sh

key=8899aabbccddeeff0011223344556677fedcba98765432100123456789abcdef

# program NAME FLAG…: what computes without OpenSSL, with a program that tests it.
program() {
    local name=$1
    shift
    mkdir objects-$name
    find "$root/Sources/OpenSSLProvider/GOST" "$root/Sources/GOSTKernels" "$root/Tests/Programs/Provider/$name.c" -name '*.c' -print0 \
        | nice xargs -0 -P 2 -I{} sh -c 'out=$1/$(echo "$0" | tr / _).o; source=$0; shift; exec clang "$@" -c "$source" -o "$out"' {} \
            objects-$name -Wall -Wextra -Werror -std=gnu11 -I"$root/Sources/OpenSSLProvider/GOST" -I"$root/Sources/GOSTKernels/include" "$@"
    clang -fuse-ld=lld "$@" objects-$name/*.o -o $name -pthread
}

builds() {
    cc -O2 -Wall -Wextra -Werror "$root/Tests/Programs/Provider/vectors.c" -o vectors -lcrypto
    program computed -O1 -g -fsanitize=address,undefined -fno-sanitize=function,shift-base -fno-sanitize-recover=all
    program secrets -O2
    python3 "$root/Tests/Scripts/Provider/vectors.py" "$root/Tests/Vectors"
}

vectors() {
    local features count
    for features in '' -AVX512F -AVX512F,-AVX2; do
        export GLIBC_TUNABLES=glibc.cpu.hwcaps=$features
        OPENSSL_CONF=/dev/null OPENSSL_MODULES=$work/lib/ossl-modules expect 0 sh -c './vectors < evp.lines'
        printed '^[0-9]* vectors$'
        count=$(cut -d ' ' -f 1 output)
        expect 0 sh -c './computed < computed.lines'
        printed '^[0-9]* vectors$'
        passed "$count and $(cut -d ' ' -f 1 output) vectors${features:+ without ${features#-}}"
    done
    by 0 dgst -md_gost12_256 message
    agrees dgst -md_gost12_256 message
    unset GLIBC_TUNABLES
}

# Valgrind takes keys and texts for unknown. It offers no AVX-512, and it may be told to offer less.
secrets() {
    local run=(valgrind --quiet --error-exitcode=99 "--suppressions=$root/Tests/Scripts/Safety/constant-time.supp" ./secrets)
    expect 99 "${run[@]}" branch
    printed 'depends on uninitialised'
    expect 0 "${run[@]}"
    GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 expect 0 "${run[@]}"
    passed "no branch and no address depends on keys, nonces and texts, with AVX2 and without"
}

# The vector of a mode, by its length.
vector_of() {
    case $1 in
        *-ecb) ;;
        kuznyechik-ctr*) echo -iv 1234567890abcef0 ;;
        magma-ctr*) echo -iv 12345678 ;;
        kuznyechik-*) echo -iv 1234567890abcef0a1b2c3d4e5f00112 ;;
        *) echo -iv 1234567890abcdef ;;
    esac
}

beside_gost() {
    local cipher code file
    for cipher in gost89 gost89-cnt gost89-cnt-12 gost89-cbc magma-cbc magma-ctr kuznyechik-ecb kuznyechik-cbc kuznyechik-cfb \
        kuznyechik-ofb kuznyechik-ctr; do
        for file in message long; do
            # shellcheck disable=SC2046
            by 0 enc -$cipher -K $key $(vector_of $cipher) -in $file -out ours
            # shellcheck disable=SC2046
            agrees enc -$cipher -K $key $(vector_of $cipher) -in $file -out theirs
            cmp ours theirs || fail "$cipher of $file is another one"
            # shellcheck disable=SC2046
            by 0 enc -d -$cipher -K $key $(vector_of $cipher) -in theirs -out opened
            cmp opened $file || fail "$cipher of $file is opened to something else"
        done
    done
    for code in gost-mac gost-mac-12 magma-mac kuznyechik-mac; do
        for file in empty short message long; do
            by 0 mac -macopt hexkey:$key -in $file -out ours $code
            agrees dgst -mac $code -macopt hexkey:$key $file
            [ "$(tr A-F a-f < ours)" = "$(sed 's/.*= //' output)" ] || fail "$code of $file is another one"
        done
    done
    passed "OpenSSL $version: eleven ciphers and four codes are those of gost-engine"
}

# Padding that is none, a vector or a key of another length.
refusals() {
    local cipher
    # Of random texts, one in 256 would end by chance like a padded one.
    seq 300 | head -c 1000 > numbers
    for cipher in magma-cbc kuznyechik-cbc gost89-cbc; do
        head -c 1001 long > broken
        # shellcheck disable=SC2046
        by 1 enc -d -$cipher -K $key $(vector_of $cipher) -in broken -out opened
        printed 'not a number of whole blocks'
        # shellcheck disable=SC2046
        by 0 enc -$cipher -K $key $(vector_of $cipher) -in numbers -out ours
        # shellcheck disable=SC2046
        by 1 enc -d -$cipher -K "${key%?}0" $(vector_of $cipher) -in ours -out opened
        printed 'padding is wrong'
    done
    by 1 mac -macopt hexkey:0011 -in message kuznyechik-mac
    printed 'the key has 2 bytes instead of 32'
    by 1 mac -macopt hexkey:$key -macopt size:17 -in message kuznyechik-mac
    printed 'from 1 to 16 bytes'
    passed "OpenSSL $version: wrong padding, keys and lengths are refused"
}

prepare
provider_settings
version=$(version_of_openssl)
head -c 1000 /dev/urandom > message
head -c 100003 /dev/urandom > long
head -c 5 message > short
: > empty
if [ -z "$ROOT" ]; then
    builds
    vectors
    secrets
fi
beside_gost
refusals
echo "provider-ciphers.sh: passed"
