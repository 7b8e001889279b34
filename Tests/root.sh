#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs make in a Debian 12 of its own, so that this machine gets none of the packages, services and files:
# "make test IN=DIRECTORY".
#
#   root.sh DIRECTORY TARGET…
#
# DIRECTORY needs some gigabytes. The first run makes a Debian there by debootstrap, with what Swift needs; later runs
# have what the earlier ones installed and built. Swift comes from PATH (it has to be the one for Debian 12), read-only.
# The tree there is a copy of this one, but for .build. Needs root. The network is the machine's, as packages come from
# it.
set -euo pipefail
cd "$(dirname "$0")/.."

# The packages that Swift itself needs, by its page for Debian 12; git and make.
needed='binutils-gold ca-certificates gcc git libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev libpython3-dev
    libsqlite3-dev libstdc++-12-dev libxml2-dev make pkg-config procps tzdata uuid-dev'

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

[ $# -ge 2 ] || fail "usage: Tests/root.sh DIRECTORY TARGET…"
swift=$(readlink -f "$(command -v swift)") || fail "swift is not in PATH"
if [ "$(id -u)" != 0 ]; then exec sudo env "PATH=$PATH" "$PWD/Tests/root.sh" "$@"; fi
command -v debootstrap > /dev/null || fail "debootstrap is missing; Debian's package debootstrap has it"
directory=$(realpath -m "$1")
shift
root=$directory/root
toolchain=${swift%/usr/bin/*}/usr
[ -x "$toolchain/bin/swift" ] || fail "$swift is not in a toolchain's usr/bin"

# The mirror of this machine's apt; empty for debootstrap's own.
mirror() {
    ! command -v apt-get > /dev/null \
        || apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Codename: bookworm' 'Component: main' \
            | sed -n 1p
}

make_root() {
    local address proxy=
    address=$(mirror)
    eval "$(apt-config shell proxy Acquire::http::Proxy 2> /dev/null || true)"
    [ -z "$proxy" ] || export http_proxy=$proxy
    rm -rf "$root"
    debootstrap --variant=minbase bookworm "$root" ${address:+"$address"}
    [ -z "$proxy" ] || echo "Acquire::http::Proxy \"$proxy\";" > "$root/etc/apt/apt.conf.d/proxy"
    # No service ever starts by itself here.
    printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    chroot "$root" apt-get update -q
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -q -y --no-install-recommends $needed
    touch "$directory/made"
}

if [ ! -e "$directory/made" ]; then
    echo "Making a Debian 12 in $root"
    # A directory that has anything else is not touched.
    [ -e "$directory/log" ] || [ -z "$(ls -A "$directory" 2> /dev/null)" ] || fail "$directory is not empty"
    mkdir -p "$directory"
    make_root > "$directory/log" 2>&1 || { tail "$directory/log" >&2; fail "no Debian could be made: $directory/log"; }
fi

# The tree as it is now; Swift packages that were fetched already are not fetched again.
tree=$root/kanal
mkdir -p "$tree/.build" "$root$toolchain"
find "$tree" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
tar --create --exclude='./.build*' --exclude="./${directory#"$PWD/"}" . | tar --extract --no-same-owner --directory "$tree"
if [ -e .build/workspace-state.json ] && [ ! -e "$tree/.build/workspace-state.json" ]; then
    cp -r .build/checkouts .build/repositories .build/workspace-state.json "$tree/.build"
fi

# Processes and mounts of their own end with the command. It is the root of its name space, as scripts enter such ones.
export root toolchain directory
exec unshare --mount --pid --fork --kill-child --propagation private bash -ec '
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --bind /sys "$root/sys"
    mount -o remount,bind,ro "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/run"
    mount --bind "$toolchain" "$root$toolchain"
    mount -o remount,bind,ro "$root$toolchain"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    cd "$root"
    pivot_root . .
    umount --lazy .
    exec chroot . env -i "PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root \
        LC_ALL=C.UTF-8 KANAL_OWN_ROOT=yes "TERM=${TERM:-dumb}" make --directory /kanal "$@"
' root.sh "$@"
