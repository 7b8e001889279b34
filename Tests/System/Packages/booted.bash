# SPDX-License-Identifier: Apache-2.0
# A Debian of disks.sh that is started, for disks.bats, which has loaded common and systemd.

# Starts systemd in a copy of a system, with a network of its own, a token and a volume of crypttab.
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
    mkdir -p "$tree/etc/systemd/system/systemd-cryptsetup@volume.service.d" "$tree/etc/systemd/system/multi-user.target.wants"
    printf '%s\n' '[Unit]' Wants=pcscd.socket After=pcscd.socket '[Service]' 'ExecStartPre=-/usr/bin/kanal info' \
        Environment=SYSTEMD_CRYPTSETUP_USE_TOKEN_MODULE=0 > "$tree/etc/systemd/system/systemd-cryptsetup@volume.service.d/token.conf"
    ln -s /usr/lib/systemd/system/remote-cryptsetup.target "$tree/etc/systemd/system/multi-user.target.wants"
    mount -t cgroup2 cgroup2 groups
    group=$work/groups/kanal.disks.$$
    mkdir "$group"
    keep group
    start_systemd "$tree" "$group" multi-user.target unshare --net --uts --ipc
    launch nsenter --target "$systemd" --net -- "$emulator" --identity usb --state booted > booted.log 2>&1
    there=$launched
    keep there
}

journal() {
    nsenter --target "$systemd" --mount --pid --root --wd=/ -- env -i PATH=/usr/bin LC_ALL=C.UTF-8 \
        timeout 20 journalctl --no-pager --quiet --output cat --unit "systemd-cryptsetup@volume.service" 3>&-
}
has_ended() { journal > journal.log 2>&1 && grep -q 'Main process exited\|Failed with result\|Finished ' journal.log; }

# Ends everything that was started there.
shut_down() {
    [ -e "${group:-}" ] || return 0
    [ -z "${there:-}" ] || stop "$there"
    end_systemd
    umount groups
    rm -rf --one-file-system started
}
