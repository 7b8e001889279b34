#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# engine-use.sh [checked] IDENTITY...: how programs use the engine "kanal": in threads, in forked processes, bound
# twice, freed too early or never, while the token leaves and returns; and what a signature costs. "checked" does so
# under valgrind and ThreadSanitizer, which takes longer.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

export OPENSSL_ENGINES=$work/lib/engines-3
use() { OPENSSL_CONF=$work/kanal.cnf expect 0 ./engine "$@"; }

settings() {
    mkdir -p "$OPENSSL_ENGINES"
    ln -s "$(pkg-config libcrypto --variable=enginesdir)/gost.so" "$root/.build/release/engines-3/kanal.so" \
        "$OPENSSL_ENGINES"
    ln -s "$module" lib
    cp "$root/.build/release/engines-3/kanal.so" "$OPENSSL_ENGINES/copy.so"
    printf '%s\n' 'openssl_conf = main' '[main]' 'engines = engines' '[engines]' 'kanal = kanal' '[kanal]' \
        'engine_id = kanal' "PIN = $pin" '[req]' 'distinguished_name = name' '[name]' > kanal.cnf
    cc -O2 -Wall -Wextra -Werror "$root/Tests/Programs/Engine/engine.c" -o engine -pthread -lcrypto
}

keys() {
    local kind
    for kind in gost256 rsa1024; do
        PIN=$pin expect 0 "$kanal" key generate --kind $kind --label $kind --pin-source env:PIN
    done
    uri="pkcs11:serial=$serial"
}

modes() {
    local mode
    for mode in load fork twice outlive leave; do use $mode "$uri;object=gost256?pin-value=$pin"; done
    for mode in fork outlive; do use $mode "$uri;object=rsa1024"; done
    use threads "$uri;object=gost256" 4
    use threads "$uri;object=rsa1024" 4
    passed "$identity: keys sign in threads, in forked processes, bound twice, freed late and never"
}

certificate() {
    OPENSSL_CONF=$work/kanal.cnf expect 0 \
        openssl req -new -x509 -engine kanal -keyform engine -key "$uri;object=gost256" \
        -subj /CN=Kanal -days 30 -outform der -out certificate.der
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --write-object certificate.der \
        --type cert --id 01 --label gost256
    use certificate "$uri;object=gost256"
    OPENSSL_CONF=$work/kanal.cnf expect 1 ./engine certificate "$uri;object=rsa1024"
    printed 'no certificate matches; there is id=%01;object=gost256'
    passed "$identity: a certificate is loaded"
}

# The engine signs with one command to the token, beside what the program begins with.
cost() {
    local once commands before
    detach
    attach $identity $identity --trace "$work/trace"
    use sign "$uri;object=gost256" 1
    once=$(grep -c '^>' trace)
    before=$(stat -c %s trace)
    use sign "$uri;object=gost256" 101
    tail -c +$((before + 1)) trace > hundred
    commands=$(grep -c '^>' hundred)
    if [ $identity = bt ]; then
        # Without a channel the library itself presents the PIN in each transaction.
        [ "$(grep -c '^> ..20' hundred)" = 1 ] || fail "not one login: $(grep '^> ..20' hundred)"
        [ "$commands" -le $((once + 100)) ] || fail "$commands commands for 101 signatures, $once for one"
    fi
    passed "$identity: $commands commands for 101 signatures: $(cat output)"
}

absence() {
    mkfifo lines
    OPENSSL_CONF=$work/kanal.cnf ./engine wait "$uri;object=gost256" < lines > said 2> errors &
    local process=$!
    others+=($process)
    exec 9> lines
    wait_until grep -q ready said || fail "no key: $(cat errors)"
    echo sign >&9
    wait_until grep -q signed said || fail "no signature: $(cat errors)"
    detach
    if [ $identity = usb ]; then
        echo sign >&9
        wait_until grep -q failed said || fail "a signature without a token"
        grep -q 'kanal:.*no such token' errors || fail "the cause is not told: $(cat errors)"
    fi
    attach $identity $identity 9>&-
    echo sign >&9
    wait_until sh -c '[ "$(grep -c signed said)" = 2 ]' || fail "no signature after a return: $(cat said errors)"
    exec 9>&-
    wait $process || fail "exit status $?"
    rm lines
    passed "$identity: the key signs again when its token is back"
}

# valgrind reads no debugging information of a Swift library, and does not see what Swift still points at.
memory() {
    local mode checked=(valgrind --quiet --error-exitcode=99 --suppressions=known --leak-check=full
        --show-leak-kinds=definite --errors-for-leak-kinds=definite ./engine)
    rm lib/libkanal-pkcs11.so
    strip -o lib/libkanal-pkcs11.so "$module"
    printf '{\n library\n Memcheck:Leak\n ...\n obj:*/libkanal-pkcs11.so\n}\n' > known
    local -x OPENSSL_CONF=$work/kanal.cnf
    expect 0 "${checked[@]}" twice "$uri;object=gost256?pin-value=$pin"
    expect 1 "${checked[@]}" sign "$uri;object=nobody"
    expect 1 "${checked[@]}" sign "pkcs11:id=%ZZ"
    expect 0 "${checked[@]}" again "$uri;object=gost256?pin-value=87654321"
    for mode in sign fork outlive leave; do expect 0 "${checked[@]}" $mode "$uri;object=gost256?pin-value=$pin"; done
    ln -sf "$module" lib/libkanal-pkcs11.so
    passed "$identity: memory is in order"
}

# The engine and the program under ThreadSanitizer. What libraries without it do inside is not seen.
races() {
    local name
    mkdir -p checked/lib/engines-3
    ln -s "$module" checked/lib
    ln -s "$OPENSSL_ENGINES/gost.so" checked/lib/engines-3
    # shellcheck disable=SC2046
    gcc -O1 -g -fPIC -shared -fsanitize=thread -fvisibility=hidden -DOPENSSL_API_COMPAT=10101 \
        -I"$root/Sources/OpenSSLKeys" -I"$root/Sources/GOSTKernels/include" \
        "$root"/Sources/OpenSSL{Engine,Keys}/*.c "$root"/Sources/GOSTKernels/Parameters/*.c $(pkg-config --cflags --libs libcrypto p11-kit-1) \
        -o checked/lib/engines-3/kanal.so
    gcc -O1 -g -fsanitize=thread "$root/Tests/Programs/Engine/engine.c" -lcrypto -o checked/engine
    printf 'called_from_lib:%s\n' libpcsclite.so.1 libkanal-pkcs11.so libcrypto.so.3 > checked/known
    for name in load threads; do
        OPENSSL_CONF=$work/kanal.cnf OPENSSL_ENGINES=$work/checked/lib/engines-3 \
            TSAN_OPTIONS="exitcode=66 suppressions=$work/checked/known" \
            expect 0 checked/engine $name "$uri;object=gost256" 4
    done
    rm -r checked
    passed "$identity: 16 threads race for nothing"
}

checked=
[ "${1:-}" != checked ] || { checked=yes && shift; }
prepare
settings
start_pcscd
for identity in "${@:-usb}"; do
    attach $identity $identity
    if [ $identity = bt ]; then
        configure 'wireless_readers = Virtual PCD *'
        PASSWORD=$password expect 0 "$kanal" pair --password-source env:PASSWORD
    fi
    keys
    if [ -n "$checked" ]; then
        races
        memory
    else
        modes
        certificate
        cost
        absence
    fi
    detach
done
echo "engine-use.sh: passed"
