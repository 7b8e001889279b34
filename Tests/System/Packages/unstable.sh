#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages as Debian would make them: of the source package, in the next Debian with what debian/control there asks
# for, by Debian's own Swift, by a user and without network. The same for arm64, built on this machine. Then, in a Debian
# for arm64 by qemu, the demonstration and the other tests of the packages with what is installed.
#
#   unstable.sh [native|cross|tests|installed]...
#
# The roots stay in .build/chroots, as do the packages, in .build/packages/unstable: half an hour for the first run.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
passed() { echo "ok: $*"; }
fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}
. Tests/System/Packages/chroot.bash

[ "$(id -u)" = 0 ] || fail "run it as root"
# Mounts that no other process sees, and that end with the script. Programs that make starts ignore the C library's own
# signals, 32 and 33, and those that Python starts SIGPIPE and SIGXFSZ, 13 and 25. No program under qemu can change the
# first two: rt_sigaction(2) of x86-64 restores all here.
if [ -z "${KANAL_MOUNTS:-}" ]; then
    restore='import ctypes, os, sys
for signal in 13, 25, 32, 33: ctypes.CDLL(None).syscall(13, signal, bytes(32), None, 8)
os.execvp(sys.argv[1], sys.argv[1:])'
    KANAL_MOUNTS=yes exec python3 -c "$restore" unshare --mount --propagation private "$0" "$@"
fi

base=$(realpath -m .build/chroots)
results=$(realpath -m "${PACKAGES:-.build/packages}")/unstable
system=aarch64-linux-gnu
phases='native cross tests installed'

# Runs a command in $debian as the user "builder", with the loopback alone.
builds() {
    # shellcheck disable=SC2016
    http_proxy='' limit=5400 networked unshare --net --ipc sh -ec 'ip link set lo up
        exec setpriv --reuid builder --regid builder --clear-groups env HOME=/home/builder sh -ec "$0"' "$1" > "$log" 2>&1 \
        || fail "this fails in $debian: $1: $(grep ': error: ' "$log" | sort -u | head -n 20; grep -v '^\[' "$log" | tail -n 20)"
}

# Makes the Debian of a name once: name, architecture, release, packages.
make_root() {
    debian=$base/$1
    if [ ! -e "$base/$1.made" ]; then
        rm -rf --one-file-system "$debian"
        mkdir -p "$base"
        # shellcheck disable=SC2086
        {
            begin_debian "$3" --arch="$2" \
                && installs $4 \
                && networked useradd --create-home builder \
                && umount "$debian/proc"
        } > "$base/$1.log" 2>&1 || fail "$1 cannot be made: $(tail -n 5 "$base/$1.log")"
        touch "$base/$1.made"
    fi
    # An earlier phase may have done it.
    mountpoint -q "$debian/proc" || mount -t proc proc "$debian/proc"
    mountpoint -q "$debian/dev" || mount --bind /dev "$debian/dev"
    log=$base/$1.log
}

# Installs the packages of an architecture in $debian, and carries out their tests.
try_packages() {
    rm -rf "$debian/packages"
    cp -r "$results/$1" "$debian/packages"
    copy_tree
    mount -t tmpfs tmpfs "$debian/run"
    networked sh -c 'exec apt-get install -q -y --no-install-recommends --reinstall /packages/*.deb' > "$log" 2>&1 \
        || fail "the packages for $1 are not installed: $(tail -n 10 "$log")"
    test_commands > "$base/commands"
    while read -r test; do
        # shellcheck disable=SC2016
        networked unshare --net --ipc --pid --mount-proc --propagation unchanged --fork --kill-child \
            sh -c 'ip link set lo up; cd /tree && eval "exec $0"' "$test" > "$log" 2>&1 < /dev/null \
            || fail "$test: exit status $?: $(tail -n 20 "$log")"
        passed "$1: $test"
    done < "$base/commands"
}
# Their needs, except for builds.
programs='pcscd vsmartcard-vpcd gcc libc6-dev libpcsclite-dev libp11-kit-dev libssl-dev opensc openssl
    libengine-gost-openssl p11-kit gnutls-bin pkg-config procps iproute2 bats'

# The Debian that builds, for an architecture: what the source package needs.
make_builder() {
    make_root builder amd64 sid "build-essential crossbuild-essential-arm64 fakeroot qemu-user $programs"
    rm -rf "$debian/tree"
    mkdir -p "$debian/tree/debian"
    cp Packaging/debian/control "$debian/tree/debian"
    networked sh -ec 'dpkg --add-architecture arm64; apt-get update -q; cd /tree
        apt-get build-dep -q -y --no-install-recommends --host-architecture "$0" .
        exec apt-get install -q -y --no-install-recommends bats python3 "libstdc++6:$0"' "$1" > "$log" 2>&1 \
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
    passed "packages for $1: $(cd "$results/$1" && ls -- *.deb | wc -l), by $(networked swiftc --version 2>&1 | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p')"
}

native() {
    make_builder amd64
    unpack
    builds 'cd /build/tree && dpkg-buildpackage --build=binary --no-sign'
    keep amd64
    try_packages amd64
}

# The libraries and the Swift runtime of the other processor, once for each version of sdk.sh.
make_sdk() {
    make_builder arm64
    ! cmp -s Packaging/sdk.sh "$debian/sdks/made-by" || return 0
    cp Packaging/sdk.sh "$debian/"
    networked /sdk.sh $system /sdks > "$log" 2>&1 || fail "no SDK: $(tail -n 5 "$log")"
    cp Packaging/sdk.sh "$debian/sdks/made-by"
}

cross() {
    make_sdk
    unpack
    builds "cd /build/tree && KANAL_SDKS=/sdks dpkg-buildpackage --host-arch=arm64 --build=binary --no-sign"
    keep arm64
}

# Has the kernel run programs for arm64 by qemu while the script lives: by the qemu of $debian, because Debian 12's does not
# know MADV_WIPEONFORK, on which secrets rely.
emulate() {
    local formats=/proc/sys/fs/binfmt_misc name=kanal-arm64-$BASHPID
    [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats || fail "the kernel has no binfmt_misc"
    # The first bytes of an ELF file of 64 bits, little-endian, a program or a library, for this processor. The format
    # registered last comes first.
    printf '%s' ":$name" ':M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' \
        ':\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' \
        ":$debian/usr/bin/qemu-aarch64:F" > $formats/register
    # shellcheck disable=SC2064
    trap "echo -1 > $formats/$name" EXIT
}

# The targets that need neither pcscd nor the installed library, except for the secure channel and emulated
# cards: their computations last too long in qemu.
targets='APDUTests AskingTests ConfigurationTests ContainersTests GOSTTests HostCryptoTests HostProcessTests LockingTests PCSCTests
    ProviderTests SecretsTests StorageTests TerminalTests TranslationTests'
# qemu does not report a missing program to the caller, and makes up /proc's data on memory, groups and sessions.
# Tests in which openssl makes and judges hundreds of files last a quarter of an hour.
omitted='AuthenticatorTests/notInstalled|ChildProgramTests/failures|SecretMemoryTests/pages|ForkedChildTests/(limit|nothing)'
omitted+='|ChildProcessTests/(kinds|failures)'
omitted+='|(MessageRule|PFXProgram|RevocationScope|SignedMessage|SigningCertificate|TrustStore)Tests/'

# Unit tests for the other processor, and its arithmetic of curves. The tests are built where the compiler is. They run in
# a Debian that has their glibc, at the same path, because they read vectors of the tree.
tests() {
    local root=/sdks/$system.artifactbundle/root builder directory target
    make_sdk
    unpack
    builds "cd /build/tree && CROSS=$system SDKS=/sdks SCALARS=20 PAIRS=3000 bats Tests/System/Safety/curves.bats"
    passed "arm64: Tests/System/Safety/curves.bats"
    builds "cd /build/tree && debian/rules override_dh_auto_configure
        export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/$system/pkgconfig
        swift build --disable-automatic-resolution --product kanalPackageTests --swift-sdks-path /sdks --swift-sdk $system-tests"
    emulate
    builder=$debian
    make_root arm64 arm64 sid "$programs"
    for directory in build sdks; do
        mkdir -p "$debian/$directory"
        mountpoint -q "$debian/$directory" || mount --bind "$builder/$directory" "$debian/$directory"
    done
    local failed=
    for target in $targets; do
        (builds "cd /build/tree && LD_LIBRARY_PATH=$root/usr/libexec/swift/lib/swift/linux .build/debug/kanalPackageTests.xctest \
            --testing-library swift-testing --filter '^$target[.]' --skip '$omitted' > ../tests.log 2>&1 \
            || { grep '✘' ../tests.log || tail -n 20 ../tests.log; exit 1; }") || { failed+=" $target" && continue; }
        passed "arm64: $target: $(grep -o '[1-9][0-9]* tests* in .* passed after .*' "$builder/build/tests.log")"
    done
    [ -z "$failed" ] || fail "these tests fail:$failed"
}

installed() {
    make_builder arm64
    emulate
    make_root arm64 arm64 sid "$programs"
    try_packages arm64
}

# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $phases
for phase in "$@"; do
    [[ " $phases " == *" $phase "* ]] || fail "there is no $phase, but: $phases"
    ("$phase")
done
