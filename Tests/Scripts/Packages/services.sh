#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The services of the packages, under a systemd of their own in the Debian of packages.sh: they start in their sandboxes,
# as their accounts, and share a token or emulate one; polkit lets in whom the example of a rule names.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/Packages/chroot.sh
isolate "$@"
. Tests/Scripts/common.sh

systemd=
group=
# Runs a command of the Debian in the namespaces of its systemd.
there() {
    nsenter --target "$systemd" --mount --pid --root --wd=/ -- \
        env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}
does() { there timeout 120 "$@" > output 2>&1 || fail "fails: $*"$'\n'"$(cat output; journal)"; }
journal() { there journalctl --no-pager --quiet --lines 60; }
says() { there journalctl --no-pager --quiet --output cat --unit "$1" | grep -q -e "$2"; }
# Waits up to 20 seconds for a function or command.
waits() {
    for _ in {1..100}; do
        if "$@" > /dev/null 2>&1; then return 0; fi
        sleep 0.2
    done
    fail "does not happen: $*"$'\n'"$(journal)"
}

# Starts systemd as the first process of a new namespace, in a group of its own, and without terminals.
boot() {
    mkdir "$work/groups"
    mount -t cgroup2 cgroup2 "$work/groups"
    group=$(mktemp -d "$work/groups/kanal.XXXXXX")
    trap 'end_systemd; umount --lazy "$debian/proc" "$debian/run"; clean_up' EXIT
    mkdir -p "$debian/old"
    (
        echo $BASHPID > "$group/cgroup.procs"
        exec unshare --mount --pid --cgroup --fork --kill-child bash -ec '
            mount --bind "$0" "$0"
            cd "$0"
            mount -t proc proc proc
            mount -t tmpfs tmpfs run
            mount -t tmpfs tmpfs tmp
            mount -t tmpfs tmpfs dev
            mkdir dev/pts dev/shm
            mount -t tmpfs tmpfs dev/shm
            mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
            ln -s pts/ptmx dev/ptmx
            for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
            mount -t sysfs -o ro sysfs sys
            mount -t cgroup2 cgroup2 sys/fs/cgroup
            pivot_root . old
            umount --lazy /old
            exec env -i container=kanal /lib/systemd/systemd --system --unit=basic.target --log-target=journal' "$debian"
    ) > boot.log 2>&1 < /dev/null &
    others+=($!)
    waits first_process $!
    waits there systemctl is-active --quiet basic.target
}

# Ends everything that the group has, and removes it.
end_systemd() {
    echo 1 > "$group/cgroup.kill"
    wait "${others[@]}" 2> /dev/null || true
    others=()
    waits sh -c '! grep -q populated.1 "$0/cgroup.events"' "$group"
    find "$group" -depth -type d -exec rmdir {} +
    umount "$work/groups"
}

# The first process of the namespace that a process has made: systemd.
first_process() {
    systemd=$(pgrep --parent "$1")
    [ "$(cat "/proc/$systemd/comm")" = systemd ]
}

make_debian
cd "$work"
install_packages "$packages"
for unit in kanal-share@office kanal-emulator; do
    succeeds systemd-analyze verify --man=no "/lib/systemd/system/${unit/office/}.service"
    [ ! -s output ] || fail "$unit: $(cat output)"
    succeeds systemd-analyze security --offline=yes --threshold=20 --no-pager "/lib/systemd/system/${unit/office/}.service"
    passed "$unit: exposure $(sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p' output) of 10"
done
rm "$debian/usr/sbin/policy-rc.d"
copy_tree
succeeds cc -I/usr/include/PCSC /tree/Tests/Programs/Token/readers.c -lpcsclite -o /usr/local/bin/readers
boot
passed "systemd runs: $(there systemctl --version | head -n 1)"

# has NUMBER: whether a card is in the reader of this number.
has() { there readers | grep -q "^card .*Virtual PCD 00 0$1"; }

does systemctl start kanal-emulator
waits says kanal-emulator '^attached:'
waits has 0
serial=$(there journalctl --quiet --output cat --unit kanal-emulator | sed -n 's/^serial: \([0-9a-f]*\).*/\1/p')
[ "$(stat -c %a "$debian/var/lib/kanal-emulator")" = 700 ] || fail "the token's memory is open to others"
passed "kanal-emulator has a token in the reader: $serial"

# Debian 12's pcscd does not ask polkit; others do, by these actions, which let those in who sit at the machine.
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
# may ACCOUNT: whether a process of the account may use pcscd, by what polkit says.
may() {
    there runuser --user "$1" -- sh -c 'exec pkcheck --action-id org.debian.pcsc-lite.access_pcsc --process $$' \
        > output 2>&1
}
! may kanal-share || fail "polkit lets everybody in"
does install -D -m 644 -t /etc/polkit-1/rules.d /usr/share/doc/kanal/50-kanal-services.rules
waits may kanal-share
may kanal-emulator || fail "polkit does not let the account of the emulator in"
! may nobody || fail "polkit lets another account in"
passed "polkit lets the accounts of both services use pcscd by the example of a rule, and no other one"

# One pcscd is both machines here: the token of its first reader is shared into its second one.
mkdir -p "$debian/etc/kanal/shares"
echo 'OPTIONS=--tunnel "socat - TCP:127.0.0.1:35964" --allow read,sign,write' > "$debian/etc/kanal/shares/office.conf"
does systemctl start kanal-share@office
waits has 1
waits says kanal-share@office 'ctivation password'
journal_of() { there journalctl --quiet --output cat --unit "$1"; }
password=$(journal_of kanal-share@office | sed -n '/activation password/s/.*\([0-9A-Z]\{4\}\(-[0-9A-Z]\{4\}\)\{3,\}\).*/\1/p')
[ -n "$password" ] || fail "no password: $(journal_of kanal-share@office)"
does env PASSWORD="$password" kanal pair --password-source env:PASSWORD "Virtual PCD 00 01"
does env PIN=$pin kanal key generate --label shared --pin-source env:PIN --token "Virtual PCD 00 01"
state=$debian/var/lib/kanal-share
[ -n "$(find "$state" -name end)" ] || fail "the share keeps nothing in $state: $(find "$state")"
[ -z "$(find "$state" -perm /077)" ] || fail "open to others: $(find "$state" -perm /077)"
passed "kanal-share@office shares a token by a tunnel, in its sandbox: a key is made by way of it"

does systemctl restart kanal-share@office
lists() { there env PIN=$pin kanal list --pin-source env:PIN "Virtual PCD 00 01" | grep -q shared; }
waits lists
passed "after a restart the pairing is as good as before"

does apt-get remove -y kanal
! there pgrep --exact kanal > /dev/null || fail "the removal of the package leaves its service running"
does systemctl stop kanal-emulator
for unit in kanal-share@office kanal-emulator; do
    ! there systemctl is-failed --quiet $unit || fail "$unit has failed: $(journal)"
done
passed "services end with their package, and when they are stopped, without a failure"
