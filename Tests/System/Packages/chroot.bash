# SPDX-License-Identifier: Apache-2.0
# A Debian in a directory, in which packages are installed and tried: for files that load common, and for scripts of root,
# which set $root.

packages=$(realpath -m "${PACKAGES:-$root/.build/packages}")/deb
bookworm=$root/.build/chroots/bookworm
# Debian's packages that ours and their tests need. The tests' control file names the same.
needed='pcscd vsmartcard-vpcd opensc p11-kit gnutls-bin openssl libengine-gost-openssl systemd dbus polkitd gcc
    libc6-dev pkg-config libp11-kit-dev libpcsclite-dev libssl-dev softhsm2 libsofthsm2 procps iproute2 socat bats'

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

# The same in $debian, where packages can be installed then: its /proc is mounted. A mirror may be some days behind with a release
# that changes every day.
begin_debian() {
    bootstrap "$1" "$debian" "${@:2}" \
        && mount -t proc proc "$debian/proc" \
        && echo 'Acquire::Check-Valid-Until "false";' > "$debian/etc/apt/apt.conf.d/90kanal" \
        && networked apt-get update -q
}

# Runs a command in that Debian, with the network; and installs packages there.
networked() {
    timeout --kill-after=10 "${limit:-1800}" chroot "$debian" \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive ${http_proxy:+"http_proxy=$http_proxy"} "$@"
}
installs() { networked apt-get install -q -y --no-install-recommends "$@"; }

# Whether a script of root has packages to try.
needs_packages() {
    [ "$(id -u)" = 0 ] || fail "only root can try packages"
    ls "$packages"/*.deb > /dev/null || fail "\"make deb\" has to come first"
}

# Makes a Debian 12 in .build, once.
make_base() {
    # Another list of packages makes another one.
    [ "$(cat "$bookworm/needed" 2> /dev/null)" != "$(echo $needed)" ] || return 0
    rm -rf "$bookworm"
    mkdir -p "$bookworm"
    {
        bootstrap bookworm "$bookworm/root" \
            && chroot "$bookworm/root" apt-get update \
            && DEBIAN_FRONTEND=noninteractive chroot "$bookworm/root" apt-get install -y --no-install-recommends $needed \
            && chroot "$bookworm/root" apt-get clean
    } > "$bookworm/log" 2>&1 3>&- || fail "no Debian can be made: $(tail "$bookworm/log")"
    # Nothing else is to be fetched.
    : > "$bookworm/root/etc/apt/sources.list"
    echo $needed > "$bookworm/needed"
}

# Makes a Debian that only this file has, with namespaces of its own: what starts there ends with the file, and has neither the
# machine's network nor its services. Sets $debian, its directory, and $first, the first process.
make_debian() {
    needs_packages
    make_base
    cd "$work"
    debian=$work/debian
    cp -a "$bookworm/root" "$debian"
    # shellcheck disable=SC2016
    launch unshare --mount --pid --net --uts --ipc --fork --kill-child bash -ec '
        mount -t proc proc "$0/proc"
        mount -t tmpfs tmpfs "$0/run"
        ip link set lo up
        echo ready
        while :; do sleep 1000; done' "$debian" > first.log 2>&1
    wait_until grep -qx ready first.log || fail "no namespaces: $(cat first.log)"
    first=$(pgrep --parent $launched)
    keep debian first
}

# Runs a command in these namespaces; and one there, with nothing of this machine's environment.
beside() { nsenter --target "$first" --mount --pid --net --uts --ipc -- "$@" 3>&-; }
inside() {
    beside chroot "$debian" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# The same for a command that has to succeed. Its output is in the file "output".
succeeds() { inside timeout 300 "$@" > output 2>&1 || fail "fails: $*"$'\n'"$(cat output)"; }

# Installs packages of a directory there. Everything that they need is there already: apt fetches nothing.
install_packages() {
    rm -rf "$debian/packages"
    cp -r "$1" "$debian/packages"
    succeeds sh -c 'apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-confold /packages/*.deb'
}

# Lays the sources that tests need in a directory there, /tree, where Debian's files are as in its source package.
copy_tree() {
    rm -rf "$debian/tree"
    mkdir -p "$debian/tree"
    git -C "$root" ls-files -z Makefile Examples Include Packaging Tests Benchmarks docs/Token.md \
        | tar --create --directory "$root" --null --files-from - | tar --extract --directory "$debian/tree"
    ln -s Packaging/debian "$debian/tree/debian"
}

# The commands of the packages' tests, as Debian would run them in the tree.
test_commands() { sed -n 's/^Test-Command: //p' "$root/Packaging/debian/tests/control"; }
