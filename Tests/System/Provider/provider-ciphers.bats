#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ciphers, digests and codes of the provider "kanal" against published vectors, in pieces of many lengths and with each set of
# instructions, and with none, under AddressSanitizer, too; against gost-engine, by another version of OpenSSL with
# ROOT=DIRECTORY; and no branch or address depends on a secret.
# bats file_tags=share
load ../common
load provider

key=8899aabbccddeeff0011223344556677fedcba98765432100123456789abcdef

setup_file() {
    prepare
    provider_settings
    head -c 1000 /dev/urandom > message
    head -c 100003 /dev/urandom > long
    head -c 5 message > short
    : > empty
    [ -z "$ROOT" ] || return 0
    cc -O2 -Wall -Wextra -Werror "$root/Tests/Programs/Provider/vectors.c" -o vectors -lcrypto
    program computed -O1 -g -fsanitize=address,undefined -fno-sanitize=function,shift-base -fno-sanitize-recover=all
    program secrets -O2
    python3 "$root/Tests/System/Provider/vectors.py" "$root/Tests/Vectors"
}

# program NAME FLAG…: what computes without OpenSSL, with a program that tests it.
program() {
    local name=$1
    shift
    mkdir "objects-$name"
    find "$root/Sources/GOSTKernels" "$root/Tests/Programs/Provider/$name.c" -name '*.c' -print0 \
        | nice xargs -0 -P 2 -I{} sh -c 'out=$1/$(echo "$0" | tr / _).o; source=$0; shift; exec clang "$@" -c "$source" -o "$out"' {} \
            "objects-$name" -Wall -Wextra -Werror -std=gnu11 -I"$root/Sources/GOSTKernels/include" "$@"
    clang -fuse-ld=lld "$@" "objects-$name"/*.o -o "$name" -pthread
}

without_root() { [ -z "$ROOT" ] || skip "only with this machine's OpenSSL"; }

@test "ciphers, digests and codes give the published vectors, with each set of instructions" {
    local features digest
    without_root
    for features in '' -AVX512F -AVX512F,-AVX2; do
        export GLIBC_TUNABLES=glibc.cpu.hwcaps=$features
        OPENSSL_CONF=/dev/null OPENSSL_MODULES=$work/lib/ossl-modules expect 0 sh -c './vectors < evp.lines'
        printed '^[0-9]* vectors$'
        expect 0 sh -c './computed < computed.lines'
        printed '^[0-9]* vectors$'
    done
    by 0 dgst -md_gost12_256 message
    digest=$(sed 's/.*= //' output)
    agrees dgst -md_gost12_256 message
    printed "= $digest\$"
}

# Valgrind treats keys and texts as unknown. It offers no AVX-512, and can be set to offer less.
@test "no branch and no address depends on keys, nonces and texts, with AVX2 and without" {
    local run=(valgrind --quiet --error-exitcode=99 "--suppressions=$root/Tests/System/Safety/constant-time.supp" ./secrets)
    without_root
    expect 99 "${run[@]}" branch
    printed 'depends on uninitialised'
    expect 0 "${run[@]}"
    GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 expect 0 "${run[@]}"
}

# Sets $arguments: a mode, the key, and a vector by its length.
arguments_for() {
    local vector=1234567890abcdef
    case $1 in
        *-ecb) vector= ;;
        kuznyechik-ctr*) vector=1234567890abcef0 ;;
        magma-ctr*) vector=12345678 ;;
        kuznyechik-*) vector=1234567890abcef0a1b2c3d4e5f00112 ;;
    esac
    arguments=("-$1" -K "$key" ${vector:+-iv $vector})
}

@test "eleven ciphers are those of gost-engine" {
    local cipher file
    for cipher in gost89 gost89-cnt gost89-cnt-12 gost89-cbc magma-cbc magma-ctr kuznyechik-ecb kuznyechik-cbc kuznyechik-cfb \
        kuznyechik-ofb kuznyechik-ctr; do
        arguments_for $cipher
        for file in message long; do
            by 0 enc "${arguments[@]}" -in $file -out ours
            agrees enc "${arguments[@]}" -in $file -out theirs
            cmp ours theirs || fail "$cipher of $file is another one"
            by 0 enc -d "${arguments[@]}" -in theirs -out opened
            cmp opened $file || fail "$cipher of $file is opened to something else"
        done
    done
}

@test "four codes are those of gost-engine" {
    local code file
    for code in gost-mac gost-mac-12 magma-mac kuznyechik-mac; do
        for file in empty short message long; do
            by 0 mac -macopt hexkey:$key -in $file -out ours $code
            agrees dgst -mac $code -macopt hexkey:$key $file
            [ "$(tr A-F a-f < ours)" = "$(sed 's/.*= //' output)" ] || fail "$code of $file is another one"
        done
    done
}

@test "invalid padding and incomplete blocks are refused" {
    local cipher
    # Of random texts, one in 256 would end by chance like a padded one.
    seq 300 | head -c 1000 > numbers
    head -c 1001 long > broken
    for cipher in magma-cbc kuznyechik-cbc gost89-cbc; do
        arguments_for $cipher
        by 1 enc -d "${arguments[@]}" -in broken -out opened
        printed 'not a number of whole blocks'
        by 0 enc "${arguments[@]}" -in numbers -out ours
        arguments[2]=${key%?}0
        by 1 enc -d "${arguments[@]}" -in ours -out opened
        printed 'padding is wrong'
    done
}

# derive LENGTH OPTION…: a key by the tree.
derive() { by 0 kdf -keylen "$1" -kdfopt hexkey:$tree_key "${@:2}" -binary -out derived KDF_TREE_GOSTR3411_2012_256; }
tree_key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
tree_options=(-kdfopt hexlabel:26bdb878 -kdfopt hexseed:af21434145656378)

@test "keys are derived by the tree of RFC 7836, B, 10" {
    derive 64 "${tree_options[@]}"
    [ "$(od -An -tx1 derived | tr -d ' \n')" = "$(python3 - "$root/Tests/Vectors/kdf_gost.json" <<< 'import json, sys
print(next(v["out"] for v in json.load(open(sys.argv[1]))["vectors"] if v["alg"] == "KDF_TREE_GOSTR3411_2012_256"))')" ]
    cp derived short-counter
    derive 64 "${tree_options[@]}" -kdfopt r:16
    refute cmp -s derived short-counter
    derive 8160 "${tree_options[@]}"
    [ "$(wc -c < derived)" = 8160 ]
}

@test "a tree without key, label or seed, and more keys than it has, are refused" {
    by 1 kdf -keylen 8161 -kdfopt hexkey:$tree_key "${tree_options[@]}" KDF_TREE_GOSTR3411_2012_256
    printed 'from 1 to 8160 bytes can be derived'
    by 1 kdf -keylen 32 "${tree_options[@]}" KDF_TREE_GOSTR3411_2012_256
    printed 'the key, the label or the seed is missing'
    by 1 kdf -keylen 32 -kdfopt hexkey:$tree_key "${tree_options[@]}" -kdfopt r:9 KDF_TREE_GOSTR3411_2012_256
    printed 'the counter has 8, 16, 24 or 32 bits'
}

@test "codes of a wrong length, and keys of one, are refused" {
    by 1 mac -macopt hexkey:0011 -in message kuznyechik-mac
    printed 'the key has 2 bytes instead of 32'
    by 1 mac -macopt hexkey:$key -macopt size:17 -in message kuznyechik-mac
    printed 'from 1 to 16 bytes'
}
