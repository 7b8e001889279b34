#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Encrypted volumes that a key of a token opens, in Debian 12, 13 and the next one: makes a Debian of each in .build/chroots/disks,
# which needs the network, and tries disks.bats with all of them. They stay, and are made again in another month, because
# the next one changes.
#
#   disks.sh [-f CHECK]
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}
. Tests/System/Packages/chroot.bash

[ "$(id -u)" = 0 ] || fail "run it as root"
# Mounts that no other process sees, and that end with the script.
if [ -z "${KANAL_MOUNTS:-}" ]; then KANAL_MOUNTS=yes exec unshare --mount --propagation private "$0" "$@"; fi

roots=$(realpath -m .build/chroots/disks)
programs='cryptsetup-bin systemd p11-kit pcscd vsmartcard-vpcd'

# Makes the Debian of a release.
make_root() (
    set -e
    wanted=$programs
    [ "$1" = bookworm ] || wanted+=' systemd-cryptsetup'
    made="$wanted, $(date +%Y-%m)"
    debian=$roots/$1
    [ "$(cat "$debian/made" 2> /dev/null)" != "$made" ] || exit 0
    rm -rf --one-file-system "$debian"
    begin_debian "$1"
    # shellcheck disable=SC2086
    installs $wanted
    networked apt-get clean
    umount "$debian/proc"
    echo "$made" > "$debian/made"
)

mkdir -p "$roots"
for release in bookworm trixie sid; do
    # Behind "||" the function would go on after a failure.
    set +e
    make_root $release > "$roots/$release.log" 2>&1
    status=$?
    set -e
    [ $status = 0 ] || fail "no Debian $release can be made: $(tail -n 10 "$roots/$release.log")"
done
exec Tests/System/apart bats "$@" Tests/System/Packages/disks.bats
