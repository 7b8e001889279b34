#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Packaging/needed.sh installs packages without their services, in a Debian of its own.
# bats file_tags=night
load ../common
load chroot

# On a machine that is up.
multi_user=(SYSTEMD_IGNORE_CHROOT=1 RUNLEVEL=2 PREVLEVEL=N)

# A package that apt alone installs shows that its service would start and would be enabled.
setup_file() {
    make_debian
    copy_tree
    rm "$debian/usr/sbin/policy-rc.d"
    [ -e "$debian/sbin/init" ] || ln -s /lib/systemd/systemd "$debian/sbin/init"
    make_package trial optional trial-base
    make_package trial-base important
    make_package trial-plain optional
    echo 'deb [trusted=yes] file:/repository ./' > "$debian/etc/apt/sources.list"
    succeeds apt-get update
    succeeds env "${multi_user[@]}" apt-get install -y trial-plain
    [ -e "$debian/started-trial-plain" ] || fail "the service does not start by itself: $(cat output)"
    [ "$(enabled | grep -c ^trial-plain)" = 3 ] || fail "the service is not enabled by itself: $(enabled)"
    [ "$(modules)" = "trial-plain trial_plain" ] || fail "logins use no module by themselves: $(modules)"
    enabled > before
}

# Makes a package with a unit of the machine, one of users and a script of runlevels, which all want to be enabled, with
# a module of PAM and one of names, and adds it to a repository for apt: its name, its priority, a package that it depends on.
make_package() {
    local tree=$work/$1 names=${1//-/_}
    mkdir -p "$tree"/{DEBIAN,lib/systemd/system,usr/lib/systemd/user,etc/init.d,usr/share/pam-configs} "$debian/repository"
    printf 'Name: %s\nDefault: yes\nPriority: 1\nAuth-Type: Additional\nAuth:\n\toptional pam_permit.so %s\n' "$1" "$1" \
        > "$tree/usr/share/pam-configs/$1"
    touch "$tree/usr/lib/libnss_$names.so.2"
    printf '[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n' \
        | tee "$tree/lib/systemd/system/$1.service" > "$tree/usr/lib/systemd/user/$1-user.service"
    printf '#!/bin/sh\n### BEGIN INIT INFO\n# Provides: %s\n# Required-Start:\n# Required-Stop:
# Default-Start: 2 3 4 5\n# Default-Stop: 0 1 6\n### END INIT INFO\ntouch /started-%s\n' "$1" "$1" > "$tree/etc/init.d/$1"
    {
        printf '#!/bin/sh\nset -e\n'
        printf 'if deb-systemd-helper %s was-enabled %s; then deb-systemd-helper %s enable %s; fi\n' \
            --system "$1.service" --system "$1.service" --user "$1-user.service" --user "$1-user.service"
        printf 'update-rc.d %s defaults\ninvoke-rc.d %s start\n' "$1" "$1"
        # As the packages of SSSD do it: names when the package is new.
        printf 'pam-auth-update --package\n[ -n "$2" ] || sed -i "/^passwd:/ s/$/ %s/" /etc/nsswitch.conf\n' "$names"
    } > "$tree/DEBIAN/postinst"
    chmod 755 "$tree/etc/init.d/$1" "$tree/DEBIAN/postinst"
    printf '%s\n' "Package: $1" "Version: 1" "Architecture: all" "Priority: $2" ${3:+"Depends: $3"} \
        "Maintainer: Kanal <kanal@kanal.invalid>" "Description: a service" > "$tree/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$tree" "$debian/repository/$1.deb" > /dev/null
    {
        cat "$tree/DEBIAN/control"
        echo "Filename: ./$1.deb"
        echo "Size: $(stat -c %s "$debian/repository/$1.deb")"
        echo "SHA256: $(sha256sum "$debian/repository/$1.deb" | cut -d ' ' -f 1)"
        echo
    } >> "$debian/repository/Packages"
}

# The names of enabled services there.
enabled() {
    (cd "$debian/etc" && find systemd rc[2-5S].d \( -path 'systemd/*' -o -name 'S*' \) -type l -printf '%f\n') \
        | sed 's/^S[0-9]*//' | sort -u
}

# The modules of these packages that logins there use.
modules() { (cd "$debian/etc" && grep -hoE 'trial[-_a-z]*' pam.d/common-auth nsswitch.conf | sort | xargs); }

@test "an installation says how much it is, starts no service, enables services and modules of the base system alone, and an upgrade no other" {
    succeeds /tree/Packaging/needed.sh missing trial trial-plain
    [ "$(cat output)" = trial ] || fail "missing are: $(cat output)"
    succeeds env "${multi_user[@]}" /tree/Packaging/needed.sh install test trial trial-plain
    printed '^"make test" needs 1 Debian packages'
    printed '^Installing 2 packages, .* on the disk$'
    printed '^Installed, and not enabled: trial '
    printed '^Installed, and not used for logins: trial$'
    [ "$(modules)" = "trial-base trial-plain trial_base trial_plain" ] || fail "logins use: $(modules)"
    succeeds dpkg --status trial trial-base
    [ ! -e "$debian/started-trial" ] || fail "the service was started"
    [ ! -e "$debian/usr/sbin/policy-rc.d" ] || fail "the rule that keeps services from starting is left behind"
    enabled > after
    [ "$(comm -13 before after | xargs)" = "trial-base trial-base-user.service trial-base.service" ] \
        || fail "newly enabled: $(comm -13 before after)"
    [ -z "$(comm -23 before after)" ] || fail "not enabled any more: $(comm -23 before after)"

    # An upgrade configures the package again.
    succeeds apt-get install -y --reinstall trial
    [ "$(enabled)" = "$(cat after)" ] || fail "enabled by an upgrade: $(enabled)"
    [ "$(modules)" = "trial-base trial-plain trial_base trial_plain" ] || fail "logins use after an upgrade: $(modules)"
    succeeds /tree/Packaging/needed.sh install test trial
    [ ! -s output ] || fail "installed twice: $(cat output)"
}
