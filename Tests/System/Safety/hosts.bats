#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The library as a guest. Programs in all states that hosts are in, or only in $STATES, load the installed file, use
# a token by it and end it: each call answers, and the program is afterwards as it was. Then memory fails, in many places each.
# bats file_tags=pcscd
load ../common

setup_file() {
    prepare
    strip -o library.so "$module"
    start_pcscd
    attach usb usb
}

# guest PROGRAM SOURCE OPTION...: builds a program of Tests/Programs/Guest.
guest() {
    cc -std=gnu11 -O1 -Wall -Wextra -Werror -pthread -I"$root/Include/CCryptoki" -I"$root/Sources/CReserve/include" \
        "$root/Tests/Programs/Guest/$1.c" "${@:2}" -o "$1" -ldl -lm
}

@test "R23: the library is a guest in every state of its host" {
    guest hosts -fno-pie -no-pie
    grep -q 'COPY.*environ' <(readelf --relocs --wide hosts) || fail "the program has no copy of environ"
    # shellcheck disable=SC2086
    ./hosts "$work/library.so" ${STATES:-} > output 2>&1 || fail "in these states the library is no good guest: $(cat output)"
}

@test "a reserve serves when there is no memory" {
    guest reserve "$root/Sources/CReserve/reserve.c"
    expect 0 ./reserve
}

# mark NAME PATH OPTION...: a file of another user's root directory that leaves a mark.
mark() {
    mkdir -p "other/${2%/*}"
    cc -DNAME="\"$1\"" "$root/Tests/Programs/Guest/mark.c" "${@:3}" -o "other/$2"
}
@test "after chroot no library, service or program of the new root directory is used, and what was open goes on" {
    local folder name modules
    guest root
    # The places in which the loader looks without a cache.
    for folder in "lib/$(cc -print-multiarch)" lib64; do
        for name in libpcsclite.so.1 libcrypto.so.3 libcrypto.so.4; do mark $name "$folder/$name" -shared -fPIC; done
    done
    # The place in which OpenSSL's provider looks for the library.
    modules=${module%/*}/ossl-modules
    mkdir -p "other$modules"
    mark libkanal "${module#/}" -shared -fPIC
    mark asked usr/bin/pinentry-mark -static
    mkdir other/dev
    touch other/dev/null
    $sudo mkdir -p admin/.config/kanal
    echo "authenticator = pinentry:/usr/bin/pinentry-mark" | $sudo tee admin/.config/kanal/kanal.conf > /dev/null
    $sudo env -i HOME="$work/admin" OPENSSL_CONF=/dev/null OPENSSL_MODULES="$modules" KANAL_LOG="$work/admin.log" ./root "$work/library.so" "$work/other" > output 2>&1 \
        || fail "after chroot something comes from the new root directory, or does not go on: $(cat output)"
    printed 'changed its root directory (chroot), and libcrypto' admin.log
    printed 'changed its root directory (chroot), and pcscd' admin.log
}

# bats test_tags=long
@test "without memory each call answers, and none ends the process" {
    local count
    guest memory -fno-builtin -rdynamic
    count=$(amount 24 300)
    timeout $((60 + count)) ./memory "$work/library.so" "$count" > output 2>&1 \
        || fail "with memory failing in $count places, exit status $?: $(tail -n 5 output)"
}
