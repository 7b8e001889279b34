# SPDX-License-Identifier: Apache-2.0
# Shared by the files of "kanal share": two machines, made of namespaces, each with mounts, a network, a /run and a pcscd of its
# own, and a link between them. The tests run on the near one, which Tests/System/apart makes, with the token; "far" runs a
# command on the other.

near_address=10.35.96.1
far_address=10.35.96.2
share=

# Makes the link and the far machine, without its pcscd, where the near one is apart.
make_machines() {
    launch unshare --mount --net --propagation private sleep infinity
    far=$launched
    # A namespace of mounts is entered in its root.
    mkdir "$work/bin" "$work/home-far"
    cat > "$work/bin/far" << END
#!/bin/sh
export HOME=$work/home-far XDG_CONFIG_HOME=$work/home-far/.config XDG_DATA_HOME=$work/home-far/.local/share
export XDG_STATE_HOME=$work/home-far/.local/state
exec nsenter --target $far --mount --net sh -c 'cd "\$0" && exec "\$@"' "$work" "\$@"
END
    chmod 700 "$work/bin/far"
    export PATH=$work/bin:$PATH
    wait_until sh -c "[ \$(readlink /proc/$far/ns/net) != \$(readlink /proc/self/ns/net) ]" || fail "no far machine"
    ip link add near type veth peer name far netns "$far"
    ip address add $near_address/24 dev near
    ip link set near up
    far mount -t tmpfs tmpfs /run
    far ip link set lo up
    far ip address add $far_address/24 dev far
    far ip link set far up
}

# Whether two machines can be made. Without root, all tests are skipped.
can_be_two() {
    [ -n "${KANAL_APART:-}" ] || skip_all "only root can make two machines of one: Tests/System/apart bats …"
    [ -n "${KANAL_APART:-}" ]
}

# Two machines, with a pcscd on each.
two_machines() {
    make_machines
    start_pcscd
    start_far_pcscd
}

start_far_pcscd() {
    launch far pcscd --foreground > "$work/far-pcscd.log" 2>&1
    far_pcscd=$launched
    keep far_pcscd
    wait_for far_has_reader \
        || fail "the far pcscd does not start: $(cat "$work/far-pcscd.log")"
}

far_has_reader() { far ./readers | grep -q 'Virtual PCD'; }
far_has_card() { far ./readers | grep -q "^card .*Virtual PCD 00 00"; }
far_has_no_card() { ! far_has_card; }

# As wait_until, for functions.
wait_for() {
    for _ in {1..100}; do
        if "$@" > /dev/null 2>&1 3>&-; then return 0; fi
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
    launch "$kanal" share --host $far_address --json "$@" > share.log 2> share.errors
    share=$launched
    keep share
    happens 1 '"event":"connected"'
    wait_for far_has_card || fail "the token does not appear in the far reader: $(cat share.log share.errors)"
}

# Pairs the far machine by the password that the share has printed, or by a token's own if it has a channel, and sets $slot.
pair_far() {
    told_password > password
    [ -s password ] || echo "$password" > password
    expect 0 far "$kanal" pair --password-source file:password
    wait_for far_has_slot || fail "the token has no slot on the far machine"
    slot=$({ far ./activate "$serial" || true; } | sed -n 's/^slot: //p')
    keep slot
}

far_has_slot() { { far ./activate "$serial" || true; } | grep -q ^slot:; }

# Writes the far user's kanal.conf, of these lines.
configure_far() {
    mkdir -p "$work/home-far/.config/kanal"
    printf '%s\n' "$@" > "$work/home-far/.config/kanal/kanal.conf"
}

stop_share() {
    [ -z "$share" ] || stop "$share"
    share=
    keep share
}

# Captures the link's traffic from now on in the file "capture".
start_capture() {
    rm -f capture
    launch python3 "$root/Tests/System/Share/capture.py" near capture
    capture=$launched
    wait_until test -e capture
}

# Ends the capture and checks it: no secret, and only commands of the channel.
check_capture() {
    stop "$capture"
    python3 "$root/Tests/System/Share/capture.py" --check capture "$@" > output 2>&1 || fail "the link: $(cat output)"
}

# The token signs nothing without a login.
is_logged_out() {
    expect 0 opensc-tool --card-driver default -s "00:2A:9E:9A:20:$(printf '07:%.0s' {1..31})07:40"
    printed "SW1=0x6"
}

# The password that the share has printed.
told_password() { sed -n 's/.*"password":"\([^"]*\)".*/\1/p' share.log; }

# The user's pinentry, whose answer is "yes" if there is a file of this name.
make_pinentry() {
    cat > pinentry << END
#!/bin/sh
echo OK
while read -r line; do
    echo "\$line" >> "$work/asked"
    case \$line in
        CONFIRM) if [ -e "$work/yes" ]; then echo OK; else echo 'ERR 83886194 Not confirmed'; fi ;;
        BYE) echo OK; exit ;;
        *) echo OK ;;
    esac
done
END
    chmod 700 pinentry
    configure "authenticator = pinentry:$work/pinentry"
}
