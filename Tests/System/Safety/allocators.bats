#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs with an allocator other than the C library's that load the library with RTLD_DEEPBIND, as pkcs11-provider
# does: the C library's own allocations then come from that allocator, and the library must not free them. And a machine
# without libpcsclite.
# bats file_tags=pcscd
load ../common

setup_file() {
    prepare
    # shellcheck disable=SC2046
    cc -I"$root/Include/CCryptoki" $(pkg-config --cflags p11-kit-1) "$root/Tests/Programs/Token/daemon.c" -o daemon -ldl
    start_pcscd
    attach usb usb
    expect 0 pkcs11-tool --module "$module" --login --pin $pin --keypairgen --key-type GOSTR3410:A --label own --id 77
}

teardown() { unconfigure; }

@test "nothing that another allocator made is freed by the C library's, nor the other way round" {
    local name allocator bound whole="init 0x0 slots 0x0 event 0x8 open 0x0 sign 0x0 use 0x0 ask 0x0 init 0x0 open 0x0"
    configure "authenticator = pinentry:$work/says-pin"
    pinentry says-pin $pin
    for name in jemalloc tcmalloc_minimal mimalloc; do
        allocator=$(ldconfig -p | sed -n "s/.*lib$name\.so\.[0-9.]* .*=> //p" | head -n 1)
        [ -n "$allocator" ] || fail "no lib$name: make deps"
        for bound in "" yes; do
            unset DAEMON_DEEPBIND
            [ -z "$bound" ] || export DAEMON_DEEPBIND=yes
            KANAL_LOG=$work/log LD_PRELOAD=$allocator expect 0 ./daemon "$module" \
                init slots event open sign=$pin use=$pin ask finalize init open finalize
            [ "$(xargs < output)" = "$whole" ] || fail "with $name: $(xargs < output)"
        done
    done
}

@test "without libpcsclite library and command run, and say that it is missing" {
    local pcsclite without
    unshare --mount true 2> /dev/null || skip "no name spaces can be made"
    # Its path on this machine.
    pcsclite=$(ldconfig -p | sed -n 's/.*libpcsclite\.so\.1 .*=> //p' | head -n 1)
    without=(unshare --mount sh -c 'mount --bind /dev/null "$0" && exec "$@"' "$(realpath "$pcsclite")")
    rm -f log
    KANAL_LOG=$work/log expect 0 "${without[@]}" ./daemon "$module" init slots event open
    [ "$(xargs < output)" = "init 0x0 slots 0xE0 event 0x8 open 0xE0" ] || fail "without libpcsclite: $(xargs < output)"
    printed "libpcsclite.so.1 is not installed" log
    expect 3 "${without[@]}" "$kanal" list
    printed "libpcsclite.so.1 is not installed: install the package libpcsclite1"
    expect 0 "${without[@]}" "$kanal" --version
}
