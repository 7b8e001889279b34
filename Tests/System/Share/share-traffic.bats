#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A host that works with a shared token for $seconds, as fast as possible, with a session for each round and connections that
# break. "make nightly" has built the host, share-traffic, which speaks vpcd's protocol itself: two pcscd would take most of
# the time.
# bats file_tags=night
load ../common
load far

setup_file() {
    prepare
    start_pcscd
    attach usb near
}

@test "a share neither grows nor keeps files open while a host works as fast as it can" {
    local host words files memory files_after memory_after seconds=${seconds:-60}
    mkfifo password
    launch stdbuf -oL "$products/share-traffic" 35999 $pin "$seconds" < <(exec cat password) > host.log 2>&1
    host=$launched
    exec {words}> password
    wait_until grep -q ready host.log || fail "the host: $(cat host.log)"
    launch "$kanal" share --port 35999 --json > share.log 2> share.errors
    share=$launched
    happens 1 '"event":"connected"'
    told_password >&$words
    exec {words}>&-
    # The usage after everything has happened at least once.
    sleep $((seconds / 10 + 15))
    read -r files memory <<< "$(used_by $share)"
    wait "$host" || fail "the host: $(cat host.log; tail -n 3 share.log share.errors)"
    read -r files_after memory_after <<< "$(used_by $share)"
    [ "$files_after" -le "$files" ] || fail "the share keeps files open: $files, then $files_after"
    [ $((memory_after - memory)) -lt 4096 ] || fail "the share grows: $memory kB, then $memory_after kB"
}
