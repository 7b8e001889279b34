# SPDX-License-Identifier: Apache-2.0
# A system that is started in namespaces, in a control group and without terminals, for files that have loaded common.

# start_systemd TREE GROUP UNIT COMMAND…: starts systemd as far as a unit in the system of a directory, which becomes its root. The
# command is for the namespaces of network, names and IPC, and runs the rest, in which the group has this path. Sets $systemd, the
# first process.
start_systemd() {
    mkdir -p "$1/old"
    # shellcheck disable=SC2016
    launch "${@:4}" bash -ec '
        echo $$ > "$1/cgroup.procs"
        exec unshare --mount --pid --cgroup --fork --kill-child bash -ec "$3" "$0" "$2"' "$1" "$2" "$3" '
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
            exec env -i container=kanal /lib/systemd/systemd --system --unit="$1" --log-target=journal
        ' > boot.log 2>&1 < /dev/null
    wait_until bash -c 'is_first_process $0' "$launched" || fail "no systemd: $(cat boot.log)"
    systemd=$(pgrep --parent "$launched")
    keep systemd
}

# Whether the first process of the namespaces that a process has made is systemd.
is_first_process() { [ "$(cat "/proc/$(pgrep --parent "$1")/comm")" = systemd ]; }
export -f is_first_process

# Ends all that the group has, whose path here is in $group, and removes it.
end_systemd() {
    echo 1 > "$group/cgroup.kill"
    wait_until sh -c '! grep -q populated.1 "$0/cgroup.events"' "$group"
    find "$group" -depth -type d -exec rmdir {} +
}
