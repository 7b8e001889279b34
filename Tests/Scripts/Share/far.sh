# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of "kanal share": two machines, made of namespaces, each with mounts, a network, a /run and a
# pcscd of its own, and a link between them. The script runs on the near one, with the token; "far" runs a command on
# the other. To be sourced from the project's root.

if [ "$(id -u)" != 0 ] || ! unshare --mount --net true 2> /dev/null; then
    echo "skipped: only root can make two machines of one"
    exit 0
fi
mounts=$(readlink /proc/self/ns/mnt)
if [ "${KANAL_OUTER_MOUNTS:-$mounts}" = "$mounts" ]; then
    KANAL_OUTER_MOUNTS=$mounts exec unshare --mount --net --propagation private "${script:-Tests/Scripts/Share/${0##*/}}" "$@"
fi
mount -t tmpfs tmpfs /run
ip link set lo up
. Tests/Scripts/common.sh

near_address=10.35.96.1
far_address=10.35.96.2
share=
unshare --mount --net --propagation private sleep infinity &
far=$!
others+=("$far")

# A namespace of mounts is entered in its root.
mkdir "$work/bin" "$work/home-far"
cat > "$work/bin/far" << END
#!/bin/sh
export HOME=$work/home-far XDG_CONFIG_HOME=$work/home-far/.config XDG_DATA_HOME=$work/home-far/.local/share
export XDG_STATE_HOME=$work/home-far/.local/state
exec nsenter --target $far --mount --net sh -c 'cd "\$0" && exec "\$@"' "$work" "\$@"
END
chmod 700 "$work/bin/far"
PATH=$work/bin:$PATH

# Makes the link and the far machine, without its pcscd.
make_machines() {
    wait_until sh -c "[ \$(readlink /proc/$far/ns/net) != \$(readlink /proc/self/ns/net) ]" || fail "no far machine"
    ip link add near type veth peer name far netns "$far"
    ip address add $near_address/24 dev near
    ip link set near up
    far mount -t tmpfs tmpfs /run
    far ip link set lo up
    far ip address add $far_address/24 dev far
    far ip link set far up
}

start_far_pcscd() {
    far pcscd --foreground > "$work/far-pcscd.log" 2>&1 &
    far_pcscd=$!
    others+=("$far_pcscd")
    wait_for far_has_reader \
        || fail "the far pcscd does not start: $(cat "$work/far-pcscd.log")"
}

far_has_reader() { far ./readers | grep -q 'Virtual PCD'; }
far_has_card() { far ./readers | grep -q "^card .*Virtual PCD 00 00"; }
far_has_no_card() { ! far_has_card; }

# As wait_until, for functions.
wait_for() {
    for _ in {1..100}; do
        if "$@" > /dev/null 2>&1; then return; fi
        sleep 0.2
    done
    return 1
}

# Waits for events of the share: how many of them there are to be, a pattern of their lines.
happens() {
    wait_until sh -c "[ \$(grep -c '$2' share.log) -ge $1 ]" || fail "no $2: $(cat share.log share.errors)"
}

# Starts a share with more options, and waits until the far reader has the token.
start_share() {
    "$kanal" share --host $far_address --json "$@" > share.log 2> share.errors &
    share=$!
    others+=("$share")
    happens 1 '"event":"connected"'
    wait_for far_has_card || fail "the token does not appear in the far reader: $(cat share.log share.errors)"
}

# Pairs the far machine by the password that the share has printed, and sets $slot.
pair_far() {
    sed -n 's/.*"password":"\([^"]*\)".*/\1/p' share.log > password
    expect 0 far "$kanal" pair --password-source file:password
    wait_for far_has_slot || fail "the token has no slot on the far machine"
    slot=$({ far ./activate "$serial" || true; } | sed -n 's/^slot: //p')
}

far_has_slot() { { far ./activate "$serial" || true; } | grep -q ^slot:; }

# Writes the far user's kanal.conf, of these lines.
configure_far() {
    mkdir -p "$work/home-far/.config/kanal"
    printf '%s\n' "$@" > "$work/home-far/.config/kanal/kanal.conf"
}

stop_share() {
    stop "$share"
    wait "$share" 2> /dev/null || true
    share=
}

# Captures the link's traffic from now on in the file "capture".
start_capture() {
    python3 "$root/Tests/Scripts/Share/capture.py" near capture &
    capture=$!
    others+=("$capture")
    wait_until test -e capture
}

# Ends the capture and checks it: no secret, and only commands of the channel.
check_capture() {
    stop "$capture"
    python3 "$root/Tests/Scripts/Share/capture.py" --check capture "$@" > output 2>&1 || fail "the link: $(cat output)"
}
