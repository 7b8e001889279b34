#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packages of Debian that a target of the Makefile needs.
#
#   Packaging/needed.sh missing PACKAGE…           lists those that are missing
#   Packaging/needed.sh install TARGET PACKAGE…    prints the number and size of the missing ones, and installs them
#
# An installation starts no service, and leaves none enabled that was not enabled before: tests start the services that
# they use, with settings of their own. The same holds for modules by which users log in (PAM) and are found (nsswitch.conf).
# Services and modules of Debian's base system, which a container may lack, are left alone.
set -euo pipefail

missing() {
    local package
    for package in "$@"; do
        dpkg-query --show --showformat='${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed \
            || echo "$package"
    done
}

# The links by which services are enabled: systemd's, for the machine and for its users, and runlevels'.
enabled() {
    {
        find /etc/systemd/system /etc/systemd/user -type l
        find /etc/rc[2-5S].d -type l -name 'S*'
    } 2> /dev/null | sort || true
}

# Whether a file of one of these names belongs to Debian's base system.
is_of_base() {
    local package
    package=$(dpkg-query --search "$@" 2> /dev/null | sed 's/[:,].*//; q')
    [ -z "$package" ] \
        || dpkg-query --show --showformat='${Priority}\n' "$package" | grep -Eqx 'required|important|standard'
}

# Disables what an installation has enabled: the list of before.
disable_others() {
    local link service
    comm -13 "$1" <(enabled) | while read -r link; do
        # All links of a runlevel's script go at once.
        [ -L "$link" ] || continue
        service=$(basename "$(readlink "$link")")
        if is_of_base "*/systemd/*/$service" "/etc/init.d/$service"; then continue; fi
        case $link in
        /etc/rc*) update-rc.d "$service" disable > /dev/null 2>&1 || true ;;
        *) rm -f "$link" ;;
        esac
        echo "$service"
    done | sort -u | paste -sd ' ' | sed '/./s/^/Installed, and not enabled: /'
    [ ! -d /run/systemd/system ] || systemctl daemon-reload
}

# The modules that users can be found by.
name_modules() { sed -n 's/#.*//; s/^[a-z]*://p' /etc/nsswitch.conf 2> /dev/null | tr -s ' \t' '\n' | grep -x '[a-z0-9_]*' | sort -u || true; }

# Removes the modules that an installation has put into PAM and nsswitch.conf: the directory with the lists of before.
remove_modules() {
    local module
    ls /usr/share/pam-configs 2> /dev/null | comm -13 "$1/profiles" - | while read -r module; do
        is_of_base "/usr/share/pam-configs/$module" || echo "$module"
    done > "$1/disabled"
    [ ! -s "$1/disabled" ] || DEBIAN_FRONTEND=noninteractive xargs pam-auth-update --disable < "$1/disabled" > /dev/null 2>&1
    name_modules | comm -13 "$1/names" - | while read -r module; do
        if is_of_base "*/libnss_$module.so.*"; then continue; fi
        sed -i -E "/^[a-z]+:/ s/[[:space:]]+$module([[:space:]]|\$)/\1/" /etc/nsswitch.conf
        echo "$module"
    done >> "$1/disabled"
    sort -u "$1/disabled" | paste -sd ' ' | sed '/./s/^/Installed, and not used for logins: /'
}

# The part of an installation that is root's.
install_as_root() {
    local policy=/usr/sbin/policy-rc.d own=
    work=$(mktemp -d)
    enabled > "$work/enabled"
    ls /usr/share/pam-configs > "$work/profiles" 2> /dev/null || true
    name_modules > "$work/names"
    if [ ! -e $policy ]; then
        own=$policy
        printf '#!/bin/sh\nexit 101\n' > $policy
        chmod 755 $policy
    fi
    # shellcheck disable=SC2064
    trap "rm -f $own; disable_others '$work/enabled'; remove_modules '$work'; rm -rf '$work'" EXIT
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" > "$work/log" 2>&1 \
        || { cat "$work/log" >&2; exit 1; }
}

install_missing() {
    local target=$1 sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    shift
    mapfile -t packages < <(missing "$@")
    [ ${#packages[@]} -gt 0 ] || return 0
    printf '"make %s" needs %s Debian packages that are missing here:\n' "$target" ${#packages[@]}
    fold -s -w 96 <<< "${packages[*]}" | sed 's/^/    /'
    [ -n "${KANAL_OWN_ROOT:-}" ] || echo "To leave this machine without them: make $target IN=DIRECTORY"
    $sudo apt-get update -qq
    # In the words of one language. This installs nothing.
    LC_ALL=C apt-get install --print-uris --no-install-recommends -o Debug::NoLocking=1 "${packages[@]}" \
        | sed -n -E 's/.* ([0-9]+) newly installed.*/Installing \1 packages, with those that they depend on:/p
            s/^Need to get (.*) of archives\.$/\1 to download,/p
            s/^After this operation, (.*) of additional disk space will be used\.$/\1 on the disk/p' | paste -sd ' '
    $sudo "$0" install-as-root "${packages[@]}"
}

case ${1:-} in
missing) missing "${@:2}" ;;
install) install_missing "${@:2}" ;;
install-as-root) install_as_root "${@:2}" ;;
*)
    sed -n 's/^#   //p' "$0" >&2
    exit 64
    ;;
esac
