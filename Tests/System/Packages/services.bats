#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The services of the packages, under a systemd of their own in the Debian of packages.bats: they start in their sandboxes,
# as their accounts, and share a token or emulate one; polkit lets in whom the example of a rule names.
# bats file_tags=night
load ../common
load chroot
load systemd

setup_file() {
    make_debian
    install_packages "$packages"
    rm "$debian/usr/sbin/policy-rc.d"
    copy_tree
    succeeds cc -I/usr/include/PCSC /tree/Tests/Programs/Token/readers.c -lpcsclite -o /usr/local/bin/readers
    boot
    does systemctl start kanal-emulator
    waits has 0
}

teardown_file() {
    cd "$work"
    # shellcheck source=/dev/null
    . ./.state
    [ ! -e "${group:-}" ] || end_systemd
    clean_up
}

# Runs a command of the Debian in the namespaces of its systemd.
there() {
    nsenter --target "$systemd" --mount --pid --net --uts --ipc --root --wd=/ -- \
        env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@" 3>&-
}
does() { there timeout 120 "$@" > output 2>&1 || fail "fails: $*"$'\n'"$(cat output; journal)"; }
journal() { there journalctl --no-pager --quiet --lines 60; }
journal_of() { there journalctl --no-pager --quiet --output cat --unit "$1"; }
# Waits up to 20 seconds for a function or command.
waits() {
    for _ in {1..100}; do
        if "$@" > /dev/null 2>&1; then return 0; fi
        sleep 0.2
    done
    fail "does not happen: $*"$'\n'"$(cat boot.log; journal)"
}

# Starts systemd, in a group of the namespaces that it is in.
boot() {
    beside sh -ec 'mkdir "$0"; mount -t cgroup2 cgroup2 "$0"; mkdir "$0/kanal.$1"' "$work/groups" $$
    group=/proc/$first/root$work/groups/kanal.$$
    keep group
    start_systemd "$debian" "$work/groups/kanal.$$" basic.target nsenter --target "$first" --mount --net --uts --ipc --
    waits there systemctl is-active --quiet basic.target
}

# has NUMBER: whether a card is in the reader of this number.
has() { there readers | grep -q "^card .*Virtual PCD 00 0$1"; }

@test "systemd sees sandboxes whose exposure is at most 2 of 10" {
    local unit
    for unit in kanal-share@ kanal-emulator; do
        succeeds systemd-analyze verify --man=no "/lib/systemd/system/$unit.service"
        [ ! -s output ] || fail "$unit: $(cat output)"
        succeeds systemd-analyze security --offline=yes --threshold=20 --no-pager "/lib/systemd/system/$unit.service"
        echo "# $unit: $(sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p' output) of 10" >&3
    done
}

@test "kanal-emulator has a token in the reader, with a memory of its own" {
    journal_of kanal-emulator > output
    printed '^attached:'
    printed '^serial: [0-9a-f]'
    [ "$(stat -c %a "$debian/var/lib/kanal-emulator")" = 700 ] || fail "the token's memory is open to others"
}

# Debian 12's pcscd does not ask polkit; others do, by these actions, which let those in who sit at the machine.
@test "polkit lets the accounts of both services use pcscd by the example of a rule, and no other one" {
    cat > "$debian/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy" << 'END'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE policyconfig PUBLIC "-//freedesktop//DTD PolicyKit Policy Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/PolicyKit/1/policyconfig.dtd">
<policyconfig>
  <action id="org.debian.pcsc-lite.access_pcsc">
    <message>Access to readers</message>
    <defaults><allow_any>no</allow_any><allow_inactive>no</allow_inactive><allow_active>yes</allow_active></defaults>
  </action>
</policyconfig>
END
    # may ACCOUNT: whether a process of the account may use pcscd, by polkit's rules.
    may() {
        there runuser --user "$1" -- sh -c 'exec pkcheck --action-id org.debian.pcsc-lite.access_pcsc --process $$' \
            > output 2>&1
    }
    refute may kanal-share
    does install -D -m 644 -t /etc/polkit-1/rules.d /usr/share/doc/kanal/50-kanal-services.rules
    waits may kanal-share
    may kanal-emulator || fail "polkit does not let the account of the emulator in"
    refute may nobody
}

# One pcscd is both machines here: the token of its first reader is shared into its second one. The last test, as the package
# is removed.
@test "kanal-share@ shares a token by a tunnel, also after a restart; services end with their package, without a failure" {
    local password state=$debian/var/lib/kanal-share unit
    mkdir -p "$debian/etc/kanal/shares"
    echo 'OPTIONS=--tunnel "socat - TCP:127.0.0.1:35964" --allow read,sign,write' > "$debian/etc/kanal/shares/office.conf"
    does systemctl start kanal-share@office
    waits has 1
    find_password() {
        password=$(journal_of kanal-share@office \
            | sed -n '/activation password/s/.*\([0-9A-Z]\{4\}\(-[0-9A-Z]\{4\}\)\{3,\}\).*/\1/p')
        [ -n "$password" ]
    }
    waits find_password
    does env PASSWORD="$password" kanal pair --password-source env:PASSWORD "Virtual PCD 00 01"
    does env PIN=$pin kanal key generate --label shared --pin-source env:PIN --token "Virtual PCD 00 01"
    [ -n "$(find "$state" -name end)" ] || fail "the share keeps nothing in $state: $(find "$state")"
    [ -z "$(find "$state" -perm /077)" ] || fail "open to others: $(find "$state" -perm /077)"

    does systemctl restart kanal-share@office
    lists() { there env PIN=$pin kanal list --pin-source env:PIN "Virtual PCD 00 01" | grep -q shared; }
    waits lists

    does apt-get remove -y kanal
    refute there pgrep --exact kanal
    does systemctl stop kanal-emulator
    for unit in kanal-share@office kanal-emulator; do refute there systemctl is-failed --quiet "$unit"; done
}
