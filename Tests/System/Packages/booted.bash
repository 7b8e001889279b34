# SPDX-License-Identifier: Apache-2.0
# A Debian of disks.sh that is started, in namespaces of its own, for disks.bats.

# Starts systemd in a copy of a system, with a network of its own, a token and a volume of crypttab. Sets $systemd, the first process.
# The unit's settings are those of the recipe, except that headless has it give up where it would ask for a PIN.
boot() {
    local tree=$work/started
    rm -rf --one-file-system "$tree" booted
    mkdir -p "$tree" groups
    tar --create --directory "$roots/$1" --one-file-system --exclude=./usr/share/{doc,locale,man,zoneinfo} --exclude=./var/{cache,lib/apt} . \
        | tar --extract --directory "$tree"
    cp -a main booted
    install "$kanal" "$tree/usr/bin/kanal"
    cp volumes/volume "$tree/root/volume"
    echo "volume /root/volume - pkcs11-uri=auto,_netdev,headless=true,token-timeout=1s" > "$tree/etc/crypttab"
    mkdir -p "$tree/etc/systemd/system/systemd-cryptsetup@volume.service.d" "$tree/etc/systemd/system/multi-user.target.wants" "$tree/old"
    printf '%s\n' '[Unit]' Wants=pcscd.socket After=pcscd.socket '[Service]' 'ExecStartPre=-/usr/bin/kanal info' \
        Environment=SYSTEMD_CRYPTSETUP_USE_TOKEN_MODULE=0 > "$tree/etc/systemd/system/systemd-cryptsetup@volume.service.d/token.conf"
    ln -s /usr/lib/systemd/system/remote-cryptsetup.target "$tree/etc/systemd/system/multi-user.target.wants"
    mount -t cgroup2 cgroup2 groups
    group=$work/groups/kanal.disks.$$
    mkdir "$group"
    keep group
    # shellcheck disable=SC2016
    launch bash -ec '
        echo $$ > "$1/cgroup.procs"
        exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child bash -ec "$2" "$0"' "$tree" "$group" '
            ip link set lo up
            mount --bind "$0" "$0"
            cd "$0"
            mount -t proc proc proc
            for directory in run tmp dev; do mount -t tmpfs tmpfs $directory; done
            mkdir dev/pts dev/shm
            mount -t tmpfs tmpfs dev/shm
            mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
            ln -s pts/ptmx dev/ptmx
            for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
            mount -t sysfs -o ro sysfs sys
            mount -t cgroup2 cgroup2 sys/fs/cgroup
            pivot_root . old
            umount --lazy /old
            exec env -i container=kanal /lib/systemd/systemd --system --unit=multi-user.target --log-target=journal
        ' > boot.log 2>&1 < /dev/null
    wait_until bash -c 'is_first_process $0' $launched || fail "no systemd: $(cat boot.log)"
    systemd=$(pgrep --parent $launched)
    launch nsenter --target "$systemd" --net -- "$emulator" --identity usb --state booted > booted.log 2>&1
    there=$launched
    keep there
}

is_first_process() { [ "$(cat "/proc/$(pgrep --parent "$1")/comm")" = systemd ]; }
export -f is_first_process

journal() {
    nsenter --target "$systemd" --mount --pid --root --wd=/ -- env -i PATH=/usr/bin LC_ALL=C.UTF-8 \
        timeout 20 journalctl --no-pager --quiet --output cat --unit "systemd-cryptsetup@volume.service" 3>&-
}
has_ended() { journal > journal.log 2>&1 && grep -q 'Main process exited\|Failed with result\|Finished ' journal.log; }

# Ends everything that was started there.
shut_down() {
    [ -e "${group:-}" ] || return 0
    [ -z "${there:-}" ] || stop "$there"
    echo 1 > "$group/cgroup.kill"
    wait_until sh -c '! grep -q populated.1 "$0/cgroup.events"' "$group"
    find "$group" -depth -type d -exec rmdir {} +
    umount groups
    rm -rf --one-file-system started
}
