#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How programs use the engine "kanal": in threads, in forked processes, bound twice, freed too early or never, while the
# token leaves and returns; and what a signature costs. By night, the same under valgrind and ThreadSanitizer.
# bats file_tags=apart
load ../common
load engine

setup_file() {
    prepare
    install_engine "PIN = $pin"
    cp "$products/engines-3/kanal.so" "$OPENSSL_ENGINES/copy.so"
    start_pcscd
}

# A token with keys of two kinds.
bring() {
    local kind
    attach_paired
    for kind in gost256 rsa1024; do
        by_kanal key generate --kind $kind --label $kind
    done
    uri="pkcs11:serial=$serial"
    keep uri
}

use() { with 0 ./engine "$@"; }

modes() {
    local mode
    for mode in load fork twice outlive leave; do use $mode "$uri;object=gost256?pin-value=$pin"; done
    for mode in fork outlive; do use $mode "$uri;object=rsa1024"; done
    use threads "$uri;object=gost256" 4
    use threads "$uri;object=rsa1024" 4
}

certificate() {
    key req -new -x509 -key "$uri;object=gost256" -subj /CN=Kanal -days 30 -outform der -out certificate.der
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --write-object certificate.der \
        --type cert --id 01 --label gost256
    use certificate "$uri;object=gost256"
    with 1 ./engine certificate "$uri;object=rsa1024"
    printed 'no certificate matches; there is id=%01;object=gost256'
}

# The engine signs with one command to the token, beside what the program begins with.
cost() {
    local once commands before
    detach
    attach "$identity" "$identity" --trace "$work/trace"
    use sign "$uri;object=gost256" 1
    once=$(grep -c '^>' trace)
    before=$(stat -c %s trace)
    use sign "$uri;object=gost256" 101
    tail -c +$((before + 1)) trace > hundred
    commands=$(grep -c '^>' hundred)
    if [ "$identity" = bt ]; then
        # Without a channel the library itself presents the PIN in each transaction.
        [ "$(grep -c '^> ..20' hundred)" = 1 ] || fail "not one login: $(grep '^> ..20' hundred)"
        [ "$commands" -le $((once + 100)) ] || fail "$commands commands for 101 signatures, $once for one"
    fi
}

absence() {
    mkfifo lines
    OPENSSL_CONF=$work/kanal.cnf ./engine wait "$uri;object=gost256" < lines > said 2> errors 3>&- &
    local process=$!
    adopt $process
    exec 9> lines
    wait_until grep -q ready said || fail "no key: $(cat errors)"
    echo sign >&9
    wait_until grep -q signed said || fail "no signature: $(cat errors)"
    detach
    if [ "$identity" = usb ]; then
        echo sign >&9
        wait_until grep -q failed said || fail "a signature without a token"
        grep -q 'kanal:.*no such token' errors || fail "the cause is not told: $(cat errors)"
    fi
    attach "$identity" "$identity" 9>&-
    echo sign >&9
    wait_until sh -c '[ "$(grep -c signed said)" = 2 ]' || fail "no signature after a return: $(cat said errors)"
    exec 9>&-
    wait $process || fail "exit status $?"
    rm lines
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
}

# The engine and the program under ThreadSanitizer. Libraries built without it are not checked.
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
}

@test "usb: keys sign in threads, in forked processes, bound twice, freed late and never" { on usb modes; }
@test "usb: a certificate is loaded" { on usb certificate; }
@test "usb: a signature costs one command, beside what the program begins with" { on usb cost; }
@test "usb: the key signs again when its token is back" { on usb absence; }
# bats test_tags=night
@test "usb: 16 threads race for nothing" { on usb races; }
# bats test_tags=night
@test "usb: memory is in order" { on usb memory; }

@test "bt: keys sign in threads, in forked processes, bound twice, freed late and never" { on bt modes; }
@test "bt: a certificate is loaded" { on bt certificate; }
@test "bt: a signature costs one command, beside what the program begins with" { on bt cost; }
@test "bt: the key signs again when its token is back" { on bt absence; }
# bats test_tags=night
@test "bt: 16 threads race for nothing" { on bt races; }
# bats test_tags=night
@test "bt: memory is in order" { on bt memory; }
