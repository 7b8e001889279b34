# SPDX-License-Identifier: Apache-2.0
# What the scripts of packages share: a Debian in a directory, in which packages are installed and tried. To be sourced
# from the project's root, as root.

packages=$(realpath -m "${PACKAGES:-.build/packages}")/deb
# What the packages and their tests need of Debian. The tests' control file names the same.
needed='pcscd vsmartcard-vpcd opensc p11-kit gnutls-bin openssl libengine-gost-openssl systemd dbus polkitd gcc
    libc6-dev pkg-config libp11-kit-dev libpcsclite-dev libssl-dev softhsm2 libsofthsm2 procps iproute2 socat'

# The address of Debian's packages, as this machine's apt has it.
mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Codename: bookworm' 'Component: main' \
        | sed -n 1p
}

# Makes a Debian of a release in a directory, with options of debootstrap: this needs the network. No service starts in it when it is installed.
bootstrap() {
    local proxy=
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    [ -z "$proxy" ] || export http_proxy=$proxy
    timeout --kill-after=10 1800 debootstrap --variant=minbase "${@:3}" "$1" "$2" "$(mirror)" \
        && printf '#!/bin/sh\nexit 101\n' > "$2/usr/sbin/policy-rc.d" \
        && chmod 755 "$2/usr/sbin/policy-rc.d"
}

# Makes a Debian 12 in .build, once.
make_base() {
    local base=.build/chroots/bookworm
    # Another list of packages makes another one.
    [ "$(cat "$base/needed" 2> /dev/null)" != "$(echo $needed)" ] || return 0
    rm -rf "$base"
    mkdir -p "$base"
    {
        bootstrap bookworm "$base/root" \
            && chroot "$base/root" apt-get update \
            && DEBIAN_FRONTEND=noninteractive chroot "$base/root" apt-get install -y --no-install-recommends $needed \
            && chroot "$base/root" apt-get clean
    } > "$base/log" 2>&1 || { tail "$base/log" >&2; exit 1; }
    # Nothing else is to be fetched.
    : > "$base/root/etc/apt/sources.list"
    echo $needed > "$base/needed"
}

# Runs the script that has sourced this a second time, in namespaces of its own: whatever it starts or mounts ends with
# it, and it has neither the machine's network nor its services.
isolate() {
    [ -z "${KANAL_ISOLATED:-}" ] || { unset KANAL_ISOLATED; return 0; }
    [ "$(id -u)" = 0 ] || { echo "${0##*/}: run it as root" >&2; exit 1; }
    ls "$packages"/*.deb > /dev/null || { echo "${0##*/}: \"make deb\" has to come first" >&2; exit 1; }
    make_base
    KANAL_ISOLATED=yes exec unshare --mount-proc --pid --net --uts --ipc --fork --kill-child "$0" "$@"
}

# Makes a Debian that only this script has. Sets $debian, its directory.
make_debian() {
    ip link set lo up
    debian=$work/debian
    cp -a .build/chroots/bookworm/root "$debian"
    mount -t proc proc "$debian/proc"
    mount -t tmpfs tmpfs "$debian/run"
    trap 'umount --lazy "$debian/proc" "$debian/run"; clean_up' EXIT
}

# Runs a command there, with nothing of this machine's environment.
inside() {
    chroot "$debian" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# The same for a command that has to succeed. What it prints is in the file "output".
succeeds() { inside timeout 300 "$@" > output 2>&1 || fail "fails: $*"$'\n'"$(cat output)"; }

# Installs packages of a directory there. Everything that they need is there already: apt fetches nothing.
install_packages() {
    rm -rf "$debian/packages"
    cp -r "$1" "$debian/packages"
    succeeds sh -c 'apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-confold /packages/*.deb'
}

# Lays the sources that tests need there, in /tree.
copy_tree() {
    mkdir -p "$debian/tree"
    git -C "$root" ls-files -z Makefile Examples Include Packaging Tests Benchmarks \
        | tar --create --directory "$root" --null --files-from - | tar --extract --directory "$debian/tree"
}
