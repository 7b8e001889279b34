#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages as Debian would make them: of the source package, in the next Debian with what debian/control there asks
# for, by Debian's own Swift, by a user and without network. The same for arm64, built on this machine. Then, in a Debian
# for arm64 by qemu, the demonstration and the other tests of the packages with what is installed.
#
#   unstable.sh [native|cross|installed]...
#
# The roots stay in .build/chroots, as do the packages, in .build/packages/unstable: half an hour for the first run.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/Packages/chroot.sh

[ "$(id -u)" = 0 ] || { echo "${0##*/}: run it as root" >&2; exit 1; }
# Mounts that no other process sees, and that end with the script.
if [ -z "${KANAL_MOUNTS:-}" ]; then KANAL_MOUNTS=yes exec unshare --mount --propagation private "$0" "$@"; fi

base=$(realpath -m .build/chroots)
results=$(realpath -m "${PACKAGES:-.build/packages}")/unstable
system=aarch64-linux-gnu

passed() { echo "ok: $*"; }
fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# Runs a command in $debian as root, with the network; and one as the user "builder", without.
inside() {
    timeout --kill-after=10 "${limit:-1800}" chroot "$debian" \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive ${http_proxy:+"http_proxy=$http_proxy"} "$@"
}
builds() {
    # shellcheck disable=SC2016
    http_proxy='' limit=5400 inside unshare --net --ipc \
        setpriv --reuid builder --regid builder --clear-groups env HOME=/home/builder sh -ec "$1" > "$log" 2>&1 \
        || fail "this fails in $debian: $1: $(grep -v '^\[' "$log" | tail -n 30)"
}

# Makes the Debian of a name once: name, architecture, release, packages.
make_root() {
    debian=$base/$1
    if [ ! -e "$base/$1.made" ]; then
        rm -rf --one-file-system "$debian"
        mkdir -p "$base"
        # shellcheck disable=SC2086
        {
            bootstrap "$3" "$debian" --arch="$2" \
                && mount -t proc proc "$debian/proc" \
                && echo 'Acquire::Check-Valid-Until "false";' > "$debian/etc/apt/apt.conf.d/90kanal" \
                && inside apt-get update -q \
                && inside apt-get install -q -y --no-install-recommends $4 \
                && inside useradd --create-home builder \
                && umount "$debian/proc"
        } > "$base/$1.log" 2>&1 || fail "$1 cannot be made: $(tail -n 5 "$base/$1.log")"
        touch "$base/$1.made"
    fi
    mount -t proc proc "$debian/proc"
    mount --bind /dev "$debian/dev"
    log=$base/$1.log
}

# Installs the packages of an architecture in $debian, and carries out their tests.
try_packages() {
    rm -rf "$debian/packages" "$debian/tree"
    cp -r "$results/$1" "$debian/packages"
    mkdir "$debian/tree"
    git ls-files -z Makefile Examples Include Packaging Tests \
        | tar --create --null --files-from - | tar --extract --directory "$debian/tree"
    mount -t tmpfs tmpfs "$debian/run"
    inside sh -c 'exec apt-get install -q -y --no-install-recommends --reinstall /packages/*.deb' > "$log" 2>&1 \
        || fail "the packages for $1 are not installed: $(tail -n 10 "$log")"
    for test in demo module engine provider development; do
        # shellcheck disable=SC2016
        inside unshare --net --ipc --pid --mount-proc --propagation unchanged --fork --kill-child \
            sh -c 'ip link set lo up; cd /tree && exec "Packaging/debian/tests/$0"' "$test" > "$log" 2>&1 \
            || fail "Packaging/debian/tests/$test: exit status $?: $(tail -n 20 "$log")"
        passed "$1: Packaging/debian/tests/$test"
    done
}
# Their needs, but for those of a build.
programs='pcscd vsmartcard-vpcd gcc libc6-dev libpcsclite-dev libp11-kit-dev libssl-dev opensc openssl
    libengine-gost-openssl p11-kit gnutls-bin pkg-config procps iproute2'

# The Debian that builds, for an architecture: what the source package needs.
make_builder() {
    make_root builder amd64 sid "build-essential crossbuild-essential-arm64 fakeroot qemu-user $programs"
    rm -rf "$debian/tree"
    mkdir -p "$debian/tree/debian"
    cp Packaging/debian/control "$debian/tree/debian"
    inside sh -ec 'dpkg --add-architecture arm64; apt-get update -q; cd /tree
        apt-get build-dep -q -y --no-install-recommends --host-architecture "$0" .
        exec apt-get install -q -y --no-install-recommends "libstdc++6:$0"' "$1" > "$log" 2>&1 \
        || fail "the needs of a build for $1: $(tail -n 10 "$log")"
}

unpack() {
    Packaging/packages.sh source > "$log" 2>&1
    rm -rf "$debian/build"
    mkdir "$debian/build"
    cp "${PACKAGES:-.build/packages}"/source/* "$debian/build"
    chroot "$debian" chown -R builder /build
    builds 'cd /build && dpkg-source --extract kanal_*.dsc tree'
}

# Keeps the packages of an architecture.
keep() {
    rm -rf "${results:?}/$1"
    mkdir -p "$results/$1"
    mv "$debian"/build/*_"$1".deb "$results/$1"
    passed "packages for $1: $(cd "$results/$1" && ls -- *.deb | wc -l), by $(inside swiftc --version 2>&1 | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p')"
}

native() {
    make_builder amd64
    unpack
    builds 'cd /build/tree && dpkg-buildpackage --build=binary --no-sign'
    keep amd64
    try_packages amd64
}

# The libraries and the Swift runtime of the other processor, once.
make_sdk() {
    make_builder arm64
    [ ! -e "$debian/sdks/$system.artifactbundle/c.cfg" ] || return 0
    cp Packaging/sdk.sh "$debian/"
    inside /sdk.sh $system /sdks > "$log" 2>&1 || fail "no SDK: $(tail -n 5 "$log")"
}

cross() {
    make_sdk
    unpack
    builds "cd /build/tree && KANAL_SDKS=/sdks dpkg-buildpackage --host-arch=arm64 --build=binary --no-sign"
    keep arm64
}

# Has the kernel run programs for arm64 by qemu while the script lives.
emulate() {
    local formats=/proc/sys/fs/binfmt_misc qemu
    [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats || fail "the kernel has no binfmt_misc"
    ! grep -qs '^interpreter .*qemu-aarch64' $formats/* || return 0
    qemu=$(command -v qemu-aarch64-static) || fail "the package qemu-user-static is missing"
    # The first bytes of an ELF file of 64 bits, little-endian, a program or a library, for this processor.
    printf '%s' ':kanal-arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' \
        ':\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' \
        ":$qemu:F" > $formats/register
    trap 'echo -1 > /proc/sys/fs/binfmt_misc/kanal-arm64' EXIT
}

installed() {
    emulate
    make_root arm64 arm64 sid "$programs"
    try_packages arm64
}

[ $# -gt 0 ] || set -- native cross installed
for phase in "$@"; do
    case $phase in
    native | cross | installed) ("$phase") ;;
    *) fail "there is no $phase, but: native cross installed" ;;
    esac
done
