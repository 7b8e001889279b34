#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# share-traffic.sh [SECONDS]: a host that works with a shared token for SECONDS (600), as fast as possible, with a
# session for each round and connections that break. The share neither grows nor keeps files open. "make nightly" has
# built the host, share-traffic, which speaks vpcd's protocol itself: two pcscd would take most of the time.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

seconds=${1:-600}

prepare
start_pcscd
attach usb near
mkfifo password
stdbuf -oL "$root/.build/release/share-traffic" 35999 $pin "$seconds" < password > host.log 2>&1 &
host=$!
others+=("$host")
exec {words}> password
wait_until grep -q ready host.log || fail "the host: $(cat host.log)"
"$kanal" share --port 35999 --json > share.log 2> share.errors &
share=$!
others+=("$share")
wait_until grep -q '"event":"connected"' share.log || fail "no share: $(cat share.log share.errors)"
sed -n 's/.*"password":"\([^"]*\)".*/\1/p' share.log >&$words
exec {words}>&-

# The usage after everything has happened at least once.
sleep $((seconds / 10 + 15))
read -r files memory <<< "$(used_by $share)"
wait "$host" || fail "the host: $(cat host.log; tail -n 3 share.log share.errors)"
read -r files_after memory_after <<< "$(used_by $share)"
octets=$(sed -n 's/.*"octets":\([0-9]*\).*/\1/p' share.log | tail -n 1)
sessions=$(grep -c '"event":"opened"' share.log)
passed "$((octets >> 20)) MiB, $sessions sessions, $(tail -n 1 host.log), in $seconds s;" \
    "the share has $memory kB, then $memory_after kB, $files files, then $files_after"
[ "$files_after" -le "$files" ] || fail "the share keeps files open"
[ $((memory_after - memory)) -lt 4096 ] || fail "the share grows"
echo "share-traffic.sh: passed"
