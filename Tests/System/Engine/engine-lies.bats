#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The engine "kanal" with modules that lie about lengths, with certificates that are not the key's, with labels that
# command a terminal, and with threads. The engine is built with AddressSanitizer.
# bats file_tags=apart
load ../common
load engine

soft=$(dpkg-query --listfiles libsofthsm2 | grep -m 1 '/libsofthsm2\.so$')
OPENSSL_ENGINES=$work/engines
export SOFTHSM2_CONF=$work/softhsm2.conf
checked=(-g -O1 -Wall -Wextra -Werror "-fsanitize=address,undefined" -fno-sanitize-recover=all)
# For programs that are built without it.
sanitizer=$(cc -print-file-name=libasan.so)

setup_file() {
    prepare
    mkdir -p "$OPENSSL_ENGINES"
    ln -s "$(pkg-config libcrypto --variable=enginesdir)/gost.so" "$OPENSSL_ENGINES"
    # shellcheck disable=SC2046
    cc -std=gnu11 "${checked[@]}" -shared -fPIC -fvisibility=hidden -DOPENSSL_API_COMPAT=10101 \
        -I"$root/Sources/OpenSSLKeys" -I"$root/Sources/GOSTKernels/include" \
        "$root"/Sources/OpenSSL{Engine,Keys}/*.c "$root"/Sources/GOSTKernels/Parameters/*.c $(pkg-config --cflags --libs libcrypto p11-kit-1) \
        -Wl,-z,nodelete -o "$OPENSSL_ENGINES/kanal.so" &
    local program
    for program in lies engine; do
        # shellcheck disable=SC2046
        cc "${checked[@]}" "$root/Tests/Programs/Engine/$program.c" $(pkg-config --cflags p11-kit-1) -o $program \
            -pthread -lcrypto
    done
    wrapped liar "$soft" liar-soft.so
    wrapped liar "$module" liar-kanal.so
    wrapped locking "$soft" locking.so
    wait $!
    start_pcscd
    attach usb usb
    mkdir tokens
    echo "directories.tokendir = $work/tokens" > softhsm2.conf
    expect 0 softhsm2-util --init-token --free --label engine --so-pin 87654321 --pin $pin
    token --keypairgen --id 01 --label rsa --key-type rsa:2048
    token --keypairgen --id 02 --label ec --key-type EC:prime256v1 --usage-derive --usage-sign
}

settings() { engine_settings "MODULE_PATH = $1" "PIN = $pin"; }

# The module is Kanal's, and what Swift's tables hold by tagged pointers is taken for leaks.
real_token() { export ASAN_OPTIONS=detect_leaks=0; }

# wrapped SOURCE MODULE NAME: a module around another one.
wrapped() {
    # shellcheck disable=SC2046
    cc -g -O1 -Wall -Wextra -Werror -shared -fPIC "-DLIBRARY=\"$2\"" "$root/Tests/Programs/Engine/$1.c" \
        $(pkg-config --cflags p11-kit-1) -o "$3"
}

token() { expect 0 pkcs11-tool --module "$soft" --token-label engine --login --pin $pin "$@"; }
lies() { with 0 ./lies "$@"; }

# Each key does each of its operations while the module lies.
@test "the token searches by name, and one call reads an object" {
    local uri=pkcs11:token=engine
    settings "$work/locking.so"
    with 0 ./engine again "$uri;object=nothing"
    printed '^found: 4$'
    printed '^read: 4$'
    with 0 ./engine sign "$uri;object=ec"
    printed '^found: 2$'
}

@test "of the lies of a module about lengths, with keys of RSA and P-256, none does harm" {
    local operation uri=pkcs11:token=engine
    settings "$work/liar-soft.so"
    for operation in sign pss decrypt oaep; do lies ./liar-soft.so $operation "$uri;object=rsa"; done
    for operation in sign derive; do lies ./liar-soft.so $operation "$uri;object=ec"; done
}

@test "of the lies of a module about lengths, with keys of GOST, none does harm" {
    local kind operation
    real_token
    settings "$work/liar-kanal.so"
    for kind in gost256 gost512; do
        by_kanal key generate --agree --kind $kind --label $kind
        for operation in sign derive decrypt; do lies ./liar-kanal.so $operation "pkcs11:object=$kind"; done
        [ $kind = gost512 ] || lies ./liar-kanal.so sign "pkcs11:object=$kind" hidden
    done
}

# certificate FILE CURVE
certificate() {
    expect 0 openssl req -x509 -newkey ec -pkeyopt "ec_paramgen_curve:$2" -nodes -keyout other.key -subj "/CN=$2" \
        -outform der -out "$1"
}

# The public half is looked for by the private key's identifier, which any certificate can have.
@test "a certificate of another curve with a key's identifier is not the key's" {
    local uri="pkcs11:object=ec" curve
    real_token
    settings "$module"
    tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin "$@"; }
    tool --keypairgen --id 05 --label ec --key-type EC:prime256v1 --usage-sign
    with 0 env "LD_PRELOAD=$sanitizer" openssl req -new -x509 -engine kanal -keyform engine -key "$uri" -subj /CN=own \
        -outform der -out own.der
    tool --delete-object --type pubkey --id 05
    for curve in secp112r1 secp256k1 P-521; do
        certificate other.der $curve
        tool --write-object other.der --type cert --id 05 --label $curve
        with 0 ./engine again "$uri"
        printed 'is of another kind or curve; give this id to the private key.s own certificate'
    done
    tool --write-object own.der --type cert --id 05 --label own
    with 0 ./engine sign "$uri"
}

@test "labels cannot command a terminal" {
    local escape=$'\e[2J\302\233\342\200\256\n\377' number
    silent() {
        ! LC_ALL=C grep -qP '[\x00-\x08\x0B\x0C\x0E-\x1F\x7F\xFF]|\xC2\x9B|\xE2\x80\xAE' output \
            || fail "$(cat -v output)"
    }
    settings "$soft"
    expect 0 softhsm2-util --init-token --free --label "$escape" --so-pin 87654321 --pin $pin
    number=$(sed -n 's/.*reassigned to slot //p' output)
    token --keypairgen --id 06 --label "ключ$escape" --key-type EC:prime256v1
    with 0 ./engine again 'pkcs11:token=nowhere'
    printed 'token=%1B\[2J%C2%9B%E2%80%AE%0A%FF'
    silent
    with 0 ./engine again 'pkcs11:token=engine;object=nothing'
    printed 'object=ключ%1B\[2J%C2%9B%E2%80%AE%0A%FF'
    silent
    sed -i /^PIN/d kanal.cnf
    echo $pin | ASAN_OPTIONS=detect_leaks=0 with 1 script -qec "env LD_PRELOAD=$sanitizer openssl dgst -engine kanal \
        -keyform engine -sign 'pkcs11:slot-id=$number;object=none' kanal.cnf" typed
    printed 'PIN for %1B\[2J%C2%9B%E2%80%AE%0A%FF'
    silent
}

@test "a module is told of threads, and called by one at a time if it cannot lock, or may not know of threads" {
    local uri=pkcs11:token=engine mode
    settings "$soft"
    for mode in threads load; do with 0 ./engine $mode "$uri;object=ec" 50; done
    settings "$work/locking.so"
    with 0 ./engine threads "$uri;object=ec" 2
    printed 'C_Initialize: 2'
    # A module that locks is called by several at a time.
    not_printed '^at once: 1$'
    for mode in threads load; do
        REFUSES=yes with 0 ./engine $mode "$uri;object=ec" 2
        printed 'C_Initialize: 0'
        printed 'at once: 1$'
    done
    TAKEN=yes with 0 ./engine threads "$uri;object=ec" 2
    printed 'at once: 1$'
    REFUSES=yes with 0 ./engine fork "$uri;object=ec"
}
