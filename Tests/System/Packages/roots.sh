#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages of "make deb" in Debians of their own, each made for this, used and removed: Debian 12, 13, the next one as
# it is now, and that one with OpenSSL 4 alone. programs.bats and providers.bats try the programs there that use a token, with
# a pcscd, a network and processes of their own, kerberos.bats, pam.bats and sssd.bats the logins; asked.bats compares what programs
# ask of the library;
# disturbances.bats disturbs that pcscd; provider.bats, provider-files.bats and provider-messages.bats try the commands of
# OpenSSL by the package's provider, with tokens of this machine and its gost-engine; provider-use.bats feeds bad inputs to the
# provider, built there, where OpenSSL differs from that in "make test".
#
#   roots.sh [-f CHECK] [bookworm|trixie|sid|openssl4]...
#
# "-f" tries the named checks of programs and logins alone, as "bats -f" does.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}
. Tests/System/Packages/chroot.bash

# Without these nothing can be tried.
base='pcscd vsmartcard-vpcd openssl gcc libc6-dev pkg-config libpcsclite-dev procps iproute2 bats'
# Packages of which programs.bats tries this file. A Debian need not have them.
wanted='libengine-gost-openssl:gost.so opensc:pkcs11-tool p11-kit:p11-kit gnutls-bin:p11tool libnss3-tools:certutil
    openssh-client:ssh-agent git:git libpam-p11:pam_p11.so pamtester:pamtester pkcs11-provider:pkcs11.so
    sbsigntool:sbsign systemd-repart:systemd-sbsign osslsigncode:osslsigncode bind9-utils:dnssec-signzone'
# The same for providers.bats.
servers='python3:_ssl.cpython*.so lighttpd-mod-openssl:mod_openssl.so stunnel4:stunnel nginx:nginx postgresql:postgres'
# The same for kerberos.bats.
kerberos='krb5-kdc:krb5kdc krb5-admin-server:kadmin.local krb5-pkinit:pkinit.so krb5-user:kinit*'
# The same for pam.bats and sssd.bats.
logins='libpam-pkcs11:pam_pkcs11.so sssd-common:sssd libpam-sss:pam_sss.so sssd-proxy:proxy_child libp11-kit-dev:pkcs11.h'
# The same for asked.bats, and the systems with a table of it.
asked=' trixie sid '
askers='openjdk-21-jre-headless:keytool openjdk-25-jre-headless:keytool'
# The systems in which the provider gets bad inputs, and the further packages for it.
hostile=' trixie openssl4 '
checkers='libssl-dev zlib1g-dev libzstd-dev libp11-kit-dev valgrind'

filter=
if [ "${1:-}" = -f ]; then
    filter=$2
    shift 2
fi
needs_packages
# Mounts that no other process sees, and that end with the script.
if [ -z "${KANAL_MOUNTS:-}" ]; then KANAL_MOUNTS=yes exec unshare --mount --propagation private "$0" ${filter:+-f "$filter"} "$@"; fi

roots=$(realpath -m .build/chroots/roots)
debian=
remove() {
    [ -z "$debian" ] || {
        umount --lazy "$debian/proc" 2> /dev/null || true
        rm -rf --one-file-system "$debian"
    }
}
trap remove EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

lacks() { echo "$*" >> "$debian/absent"; }

# Makes the Debian of a name, with the packages of programs and then Kanal's. The file "absent" has the packages that are
# not to be had, and why.
make_root() (
    set -e
    release=${1/openssl4/sid}
    available=()
    begin_debian "$release"
    : > "$debian/absent"
    # The package with sign-file has the kernel's version in its name; the file "names" has it.
    kernel=$(networked apt-cache pkgnames linux-kbuild- | sort --version-sort | tail -n 1)
    echo "kernel $kernel" > "$debian/names"
    [[ "$asked" == *" $1 "* ]] || askers=
    for name in $wanted $kernel:sign-file $servers $kerberos $logins $askers; do
        name=${name%:*}
        if grep -q '^ *Candidate: [0-9]' <<< "$(networked apt-cache policy "$name")"; then
            available+=("$name")
        else
            lacks "$name Debian $release has no package $name"
        fi
    done
    [[ "$hostile" != *" $1 "* ]] || available+=($checkers)
    # shellcheck disable=SC2086
    installs $base "${available[@]}"
    mkdir "$debian/packages"
    cp "$packages"/*.deb "$debian/packages"
    if [ "$1" = openssl4 ]; then
        only_openssl4
    else
        networked sh -c 'exec apt-get install -q -y --no-install-recommends /packages/*.deb'
    fi
    mkdir "$debian/tree"
    git ls-files -z Examples Include Packaging Tests docs/{Rules,Token}.md \
        | tar --create --null --files-from - | tar --extract -C "$debian/tree"
    umount "$debian/proc"
)

# Installs OpenSSL 4 of Debian's experimental packages, and removes OpenSSL 3, without which essential packages are broken. dpkg
# then installs Kanal's packages by its rules.
only_openssl4() {
    local name file
    echo "deb $(mirror) experimental main" > "$debian/etc/apt/sources.list.d/experimental.list"
    networked apt-get update -q
    installs --target-release experimental openssl libssl-dev
    networked dpkg --purge --force-depends libssl3t64
    [ -z "$(find "$debian" -xdev -name 'lib*.so.3' \( -name 'libssl*' -o -name 'libcrypto*' \))" ] || return 1
    for name in $wanted $kernel:sign-file $servers $kerberos $logins; do
        file=$(find "$debian/usr" -xdev -name "${name#*:}" \( -type f -o -type l \) -not -path '*/share/*' | head -n 1)
        if [ -n "$file" ] && grep -q '\.so\.3 => not found' <<< "$(networked ldd "${file#"$debian"}" 2>&1)"; then
            lacks "${name%:*} $(basename "$file") of ${name%:*} is built for OpenSSL 3"
        fi
    done
    rm "$debian"/packages/kanal-openssl-engine_*.deb
    lacks "kanal-openssl-engine OpenSSL 4 has no engines"
    networked sh -c 'exec dpkg --install /packages/*.deb'
}

# Runs a command in the Debian, which then has no network but a loopback, and none of this machine's processes. Its root is a
# mount, so that the command can make namespaces.
try_root() {
    # shellcheck disable=SC2016
    timeout --kill-after=10 600 unshare --mount --pid --net --uts --ipc --fork --kill-child sh -ec '
        mount --bind "$1" "$1"
        cd "$1"
        mount -t proc proc proc
        mount -t sysfs sysfs sys
        for directory in run tmp dev/shm; do mount -t tmpfs tmpfs $directory; done
        ip link set lo up
        shift
        exec chroot . env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
            LC_ALL=C.UTF-8 KANAL_INSTALLED=yes "$@"' sh "$debian" "$@"
}

# These change the users and PAM of the Debian.
try_logins() { try_root env KANAL_APART=yes bats ${filter:+-f "$filter"} /tree/Tests/System/Logins/{pam,sssd}.bats; }

try_asked() { try_root env KANAL_APART=yes bats /tree/Tests/System/Programs/asked.bats; }

# A line, and the deviations.
try_disturbances() {
    local log=$roots/$1-disturbances.log
    if try_root bats /tree/Tests/System/Readers/disturbances.bats > "$log" 2>&1; then
        printf '%-9s  %s\n' passed "disturbances of pcscd: $(grep -c '^ok ' "$log") checks"
    else
        printf '%-9s  %s:\n' FAILED "disturbances of pcscd"
        grep -e '<-' -e '^not ok' "$log" | tail -n 25 | sed 's/^/    /'
        return 1
    fi
}

# Runs checks of the provider with this Debian's OpenSSL, and pcscd and tokens of this machine.
with_provider() {
    ROOT=$debian PROVIDER=$(echo "$debian"/usr/lib/*/ossl-modules/kanal.so) timeout --kill-after=10 "$1" \
        Tests/System/apart "${@:2}"
}
# The table of docs/Provider.md, GOST keys of files, and the table of docs/Forms.md.
try_provider() {
    local name
    for name in provider provider-files provider-messages; do
        with_provider 600 bats Tests/System/Provider/$name.bats || return 1
    done
}

# A line with all checks of provider-use.bats.
try_bad_inputs() {
    local log=$roots/$1-bad-inputs.log
    if COUNT=2000 with_provider 900 bats --filter-tags '!here' Tests/System/Provider/provider-use.bats > "$log" 2>&1; then
        printf '%-9s  %s: ' passed "provider kanal, bad inputs"
        sed -n 's/^ok [0-9]* //p' "$log" | paste -sd ';' | sed 's/;/; /g'
    else
        printf '%-9s  %s:\n' FAILED "provider kanal, bad inputs"
        tail -n 25 "$log" | sed 's/^/    /'
        return 1
    fi
}

mkdir -p "$roots"
failed=
for name in "${@:-bookworm trixie sid openssl4}"; do
    for name in $name; do
        started=$SECONDS
        debian=$roots/$name
        remove
        printf '%s\n' "-- $name --"
        set +e
        make_root "$name" > "$roots/$name.log" 2>&1
        status=$?
        set -e
        if [ $status != 0 ]; then
            failed+=" $name"
            echo "FAILED     it cannot be made:"
            tail -n 25 "$roots/$name.log" | sed 's/^/    /'
        else
            try_root bats ${filter:+-f "$filter"} /tree/Tests/System/{Packages/{programs,providers},Logins/kerberos}.bats \
                || failed+=" $name"
            try_logins || failed+=" $name (pam.bats, sssd.bats)"
        fi
        if [ $status = 0 ] && [ -z "$filter" ]; then
            [[ "$asked" != *" $name "* ]] || try_asked || failed+=" $name (asked.bats)"
            try_disturbances "$name" || failed+=" $name (disturbances.bats)"
            try_provider || failed+=" $name (provider.bats, provider-files.bats, provider-messages.bats)"
            [[ "$hostile" != *" $name "* ]] || try_bad_inputs "$name" || failed+=" $name (provider-use.bats)"
        fi
        remove
        echo "$name: $((SECONDS - started)) s"
    done
done
[ -z "$failed" ] || { echo "roots.sh: failed:$failed" >&2; exit 1; }
echo "roots.sh: passed"
