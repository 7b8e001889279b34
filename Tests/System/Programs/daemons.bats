#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The library in servers and privileged programs: they become another user, close descriptors 0 to 2 or run out of
# descriptors, are set-user-ID or have capabilities; and the administrator's lines in the system's log.
# bats file_tags=pcscd
load ../common

setup_file() {
    prepare
    # shellcheck disable=SC2046
    cc -I"$root/Include/CCryptoki" $(pkg-config --cflags p11-kit-1) "$root/Tests/Programs/Token/daemon.c" -o daemon -ldl
    start_pcscd
    attach usb usb
    nobody=$(id -u nobody)
    mounts=
    # With mounts of their own, the tests have an /etc and a /dev, with a system's log, that no other program sees.
    if [ "$(id -u)" = 0 ] && [ "${KANAL_APART:-}" = yes ]; then
        mounts=own
        own_system
    fi
    keep nobody mounts
}

setup() {
    cd "$work"
    . ./.state
    rm -f log
    [ -z "$mounts" ] || : > syslog
}

teardown() {
    unconfigure
    rm -f /etc/kanal/kanal.conf "$work"/nobody/.config/kanal/kanal.conf
}

needs_own_system() { [ -n "$mounts" ] || skip "it takes root, and mounts of its own: Tests/System/apart bats …"; }

own_system() {
    local node number
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/file" "$work"
    chmod 700 "$HOME"
    cp -a /etc own-etc
    mount --bind own-etc /etc
    mkdir -p /etc/kanal
    rm -f /etc/kanal/kanal.conf
    mkdir own-dev
    mount -t tmpfs tmpfs own-dev
    for node in null zero full random urandom tty; do
        touch own-dev/$node
        mount --bind /dev/$node own-dev/$node
    done
    ln -s /proc/self/fd own-dev/fd
    for number in 0 1 2; do ln -s /proc/self/fd/$number "own-dev/$(cut -d ' ' -f $((number + 1)) <<< "stdin stdout stderr")"; done
    mount --move own-dev /dev
    cat > syslog.py << 'END'
import os, socket
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind("/dev/log")
os.chmod("/dev/log", 0o666)
with open("syslog", "a") as file:
    while True:
        print(listener.recv(4096).decode(), file=file, flush=True)
END
    launch python3 syslog.py > syslog.errors 2>&1
    wait_until test -S /dev/log
    install -d -m 700 -o nobody nobody nobody/.config nobody/.config/kanal
    cp "$module" privileged.so
    install -d -m 700 secret
    install -m 4755 daemon set-user-id
    install -m 755 daemon capable
    setcap cap_dac_override+ep capable
    pinentry says-pin $pin "echo asked > $work/asked"
}

# daemon EXPECTED WORD...: compares the program's output, in one line.
daemon() {
    local wanted=$1 status=0
    shift
    rm -f said
    DAEMON_OUT=$work/said timeout 60 ./daemon "$module" "$@" > output 2>&1 < /dev/null || status=$?
    [ "$status" = 0 ] || fail "exit status $status from daemon $*: $(cat output)"
    [ "$(xargs < said)" = "$wanted" ] || fail "daemon $*: $(xargs < said) instead of $wanted"$'\n'"$(cat log 2> /dev/null)"
}

at_home() { HOME=$1 XDG_DATA_HOME="" XDG_CONFIG_HOME="" KANAL_LOG=$work/log daemon "${@:2}"; }

# The settings of the user "nobody", in a home directory of its own.
nobody_has() { install -m 600 -o nobody /dev/stdin nobody/.config/kanal/kanal.conf <<< "$1"; }

# As a user without rights: the program's file, and its words.
as_user() { privileged "init 0x0 open 0x0" "$@"; }
# The same, with the expected output.
privileged() {
    local wanted=$1
    shift
    DAEMON_OUT=$work/secret/said KANAL_LOG=$work/secret/log XDG_CONFIG_HOME=$'/x\n* * * * * root id' \
        expect 0 setpriv --reuid="$nobody" --regid="$nobody" --clear-groups "$work/$1" "$work/privileged.so" "${@:2}"
    [ "$(xargs < secret/said)" = "$wanted" ] || fail "the program says $(cat secret/said)"
    rm secret/said
    [ ! -e secret/log ] || fail "a privileged program writes where its user wants: $1 ${*:2}"
}

# told TEXT: the system's log has the text; then clears the log.
told() {
    wait_until grep -q -e "$1" syslog || fail "the system's log has no \"$1\": $(cat syslog)"
    ! grep -v '^<8[34]>kanal\[[0-9]*\]: [a-z-]*: ' syslog || fail "another form"
    : > syslog
}

# ---- Descriptors and logs ----

@test "with descriptors 0 to 2 closed, no file and no socket takes their numbers" {
    KANAL_LOG=$work/log daemon "init 0x0 fds 0x0 slots 0x0 sign 0x0 fds 0x0" close init fds slots sign=$pin fds
    printed C_OpenSession log
    # Every number below 3 that a call opened or was given.
    if strace -V > /dev/null 2>&1; then
        DAEMON_OUT=$work/said strace -f -e trace=openat,socket,dup,fcntl -o trace ./daemon "$module" close init slots sign=$pin
        ! grep -E '(socket\(|openat\().* = [012]$' trace | grep -v O_PATH || fail "a file or socket has a number below 3"
    fi
}

@test "without descriptors the answer is CKR_HOST_MEMORY, until there are some" {
    daemon "init 0x0 sign 0x0 open 0x2 open 0x0" init sign=$pin fill open free=8 open
    daemon "init 0x2 init 0x0 slots 0x2 open 0x2 open 0x0" fill init free=8 init fill slots open free=8 open
    daemon "init 0x2 init 0x0 open 0x0" close fill init free=11 init open
}

@test "a log that nobody reads, a FIFO and a limit of file sizes neither stop nor end a program" {
    KANAL_LOG=$work/log daemon "init 0x0 open 0x0" limit=100 init open
    [ "$(stat -c %s log)" -le 100 ] || fail "the log is longer than allowed"
    for state in unread stuck; do KANAL_LOG=/dev/stderr daemon "init 0x0 open 0x0" $state init open; done
    mkfifo fifo
    KANAL_LOG=$work/fifo daemon "init 0x0 open 0x0" init open
    sh -c 'exec sleep 60' < fifo 3>&- &
    adopt $!
    KANAL_LOG=$work/fifo daemon "init 0x0 open 0x0" init open
    KANAL_LOG=/dev/stderr expect 0 ./daemon "$module" init open
    printed C_OpenSession
    ./daemon "$module" init 2>&1 > /dev/null | cat > /dev/null
    KANAL_LOG=/dev/stderr ./daemon "$module" init open 2>&1 > said | cat > output
    printed C_OpenSession
}

@test "a log is a file of one's own, and each of its lines the library's" {
    needs_own_system
    ln -s target link
    install -m 600 -o nobody /dev/null other
    for file in link other; do
        KANAL_LOG=$work/$file daemon "init 0x0" init
        [ ! -e target ] && [ ! -s "$file" ] || fail "the log goes through a link or to another's file"
    done
    rm -f log
    KANAL_LOG=$work/log XDG_CONFIG_HOME=$'x\n\e[2J\u2028* * * * * root id\377' daemon "init 0x0" init
    KANAL_LOG=$work/log XDG_CONFIG_HOME=$'x\n\e[2J\u2028* * * * * root id' daemon "init 0x0" init
    refute grep -v '^20[-0-9T:.]*Z \[' log
    not_printed $'\e' log
    printed 'x.u{A}.u{1B}.2J.u{2028}' log
}

# ---- Another user's home ----

@test "a home of another user counts for nothing, with a warning, and plain tokens work; the user's own counts" {
    needs_own_system
    local home
    configure "minimum_profile = nonsense"
    at_home "$HOME" "init 0x0 sign 0x6" init sign=$pin
    for home in "$HOME" home relative/home ""; do
        at_home "$home" "init 0x0 sign 0x0" user="$nobody" init sign=$pin
    done
    unconfigure
    for home in "$HOME" home relative/home ""; do
        at_home "$home" "init 0x0 sign 0x0 sign 0x0" init sign=$pin user="$nobody" sign=$pin
    done
    nobody_has "minimum_profile = nonsense"
    rm log
    at_home "$work/nobody" "init 0x0 sign 0x0" init sign=$pin
    printed "HOME \"$work/nobody\" does not belong to user 0" log
    at_home "$work/nobody" "init 0x0 sign 0x6" user="$nobody" init sign=$pin
}

@test "without HOME the home is the password database's; the administrator's settings bind in any case" {
    needs_own_system
    nobody_has "minimum_profile = nonsense"
    cp /etc/passwd passwd
    sed -i "s|^\(nobody:.*\):[^:]*:\([^:]*\)$|\1:$work/nobody:\2|" /etc/passwd
    at_home "" "init 0x0 sign 0x6" user="$nobody" init sign=$pin
    rm nobody/.config/kanal/kanal.conf
    at_home "" "init 0x0 sign 0x0" user="$nobody" init sign=$pin
    chown root nobody
    at_home "" "init 0x0 sign 0x0" user="$nobody" init sign=$pin
    echo "require_sm = on" > /etc/kanal/kanal.conf
    at_home "$HOME" "init 0x0 sign 0x54" user="$nobody" init sign=$pin
    chown nobody nobody
    cp passwd /etc/passwd
}

# ---- Programs with more rights than their user ----

@test "set-user-ID programs, also after setuid(0), and programs with capabilities write no log for their user" {
    needs_own_system
    as_user set-user-id init open
    as_user set-user-id user=0 init open
    as_user capable init open
}

@test "a program with more rights than its user asks nobody, whatever the administrator has configured" {
    needs_own_system
    echo "authenticator = pinentry:$work/says-pin" > /etc/kanal/kanal.conf
    daemon "init 0x0 ask 0x0" init ask
    [ -e asked ] || fail "nobody was asked"
    rm asked
    privileged "init 0x0 ask 0x7" set-user-id init ask
    privileged "init 0x0 ask 0x7" set-user-id user=0 init ask
    privileged "init 0x0 ask 0x7" capable init ask
    [ ! -e asked ] || fail "a program with more rights than its user has asked"
    daemon "init 0x0 ask 0x7" works-as="$nobody" init ask
    daemon "init 0x0 ask 0x6" init works-as="$nobody" ask
    [ ! -e asked ] || fail "root, who works as a user, has asked"
    daemon "init 0x0 ask 0x6 ask 0x0" init works-as="$nobody" ask works-as=0 ask
    [ -e asked ] || fail "root was not asked"
    rm asked
}

# The user's own program, in a server of root's, which works as the user: it would become root.
make_attack() {
    cat > becomes-root.c << 'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    uid_t users[3];
    FILE *file;
    getresuid(&users[0], &users[1], &users[2]);
    setresuid(0, 0, 0);
    if ((file = fopen(getuid() == 0 ? ATTACK "/root/owned" : ATTACK "/users/asked", "w"))) {
        fprintf(file, "%u %u %u\n", users[0], users[1], users[2]);
        fclose(file);
    }
    execl(ATTACK "/answers", "answers", (char *)NULL);
    return 1;
}
END
    mkdir attack attack/root attack/users
    chmod 700 attack/root
    chown nobody attack/users
    pinentry attack/answers $pin
    cc -DATTACK="\"$work/attack\"" becomes-root.c -o attack/becomes-root
}

# attacks WANTED WORD...: compares the server's output, and checks that the user's program did not run as root.
attacks() {
    at_home "$work/nobody" "$@"
    [ ! -e attack/root/owned ] || fail "the user's authenticator has become root: $(cat attack/root/owned): ${*:2}"
}

@test "a server of root's that works as a user neither reads the user's file nor starts the user's authenticator" {
    needs_own_system
    make_attack
    expect 0 pkcs11-tool --module "$module" --login --pin $pin --keypairgen --key-type GOSTR3410:A --label attacked --id 77
    nobody_has "authenticator = pinentry:$work/attack/becomes-root"$'\nconsent = always'
    attacks "init 0x0 ask 0x0 use 0x0" user="$nobody" init ask use=$pin
    [ -e attack/users/asked ] || fail "the user's own program asks nobody"
    rm attack/users/asked
    attacks "init 0x0 ask 0x7" works-as="$nobody" init ask
    attacks "init 0x0 use 0x0" works-as="$nobody" init use=$pin
    attacks "init 0x0 ask 0x7" works-as="$nobody" init works-as=0 ask
    attacks "init 0x0 use 0x0" works-as="$nobody" init works-as=0 use=$pin
    attacks "init 0x0 ask 0x6 use 0x6" as="$nobody" init as=0 ask use=$pin
    attacks "init 0x0 ask 0x6 use 0x6" as="$nobody" init as=65533 ask use=$pin
    attacks "init 0x0 ask 0x6" as="$nobody" init works-as=65533 ask
    [ ! -e attack/users/asked ] || fail "a user's authenticator was started in a process with other ids"
    attacks "init 0x0 ask 0x0" as="$nobody" init ask
    [ "$(xargs < attack/users/asked)" = "$nobody $nobody $nobody" ] || fail "the authenticator is not its user"
}

# ---- The system's log ----

@test "the administrator reads of settings that are not allowed" {
    needs_own_system
    echo "minimum_profile = nonsense" > /etc/kanal/kanal.conf
    daemon "init 0x0 open 0x6" init open
    told "<83>kanal.*kanal.conf:1: minimum_profile: \"nonsense\" is not allowed"
}

@test "a program with more rights than its user obeys no PCSCLITE_CSOCK_NAME, and the administrator reads of it" {
    needs_own_system
    # A service of the user's own, to which a program with more rights would send PINs.
    cat > service.py << 'END'
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
listener.listen()
while True:
    connection, _ = listener.accept()
    open("connected", "a").close()
    connection.close()
END
    launch python3 service.py "$work/own-service" > service.log 2>&1
    wait_until test -S own-service
    export PCSCLITE_CSOCK_NAME=$work/own-service
    daemon "init 0x0 open 0x6" init open
    [ -e connected ] || fail "the variable has no effect on others"
    rm connected
    privileged "init 0x0 open 0xE0" set-user-id init open
    told "<84>kanal.*the environment names another service (PCSCLITE_CSOCK_NAME"
    privileged "init 0x0 open 0xE0" capable init open
    privileged "init 0x0 open 0xE0" set-user-id user=0 init open
    : > syslog
    daemon "init 0x0 open 0xE0" works-as="$nobody" init open
    told "<84>kanal.*the environment names another service"
    unset PCSCLITE_CSOCK_NAME
    LIBPCSCLITE_DELEGATE=$work/own.so privileged "init 0x0 open 0xE0" set-user-id init open
    [ ! -e connected ] || fail "a program with more rights than its user comes to a service of that user's"
    : > syslog
}

@test "the administrator reads of errors and downgrades in the system's log, and can turn that off" {
    needs_own_system
    local words=()
    mkdir -p "$XDG_DATA_HOME/kanal/pairings"
    chmod 755 "$XDG_DATA_HOME/kanal/pairings"
    detach
    attach bt bluetooth
    configure "syslog = off"
    daemon "init 0x0 open 0x6" init open
    told "pairings in $XDG_DATA_HOME/kanal/pairings cannot be used: group or others have access"
    unconfigure
    for _ in {1..100}; do words+=(init open finalize); done
    DAEMON_OUT=$work/said ./daemon "$module" "${words[@]}"
    DAEMON_OUT=$work/said XDG_CONFIG_HOME=relative ./daemon "$module" init
    wait_until grep -q XDG_CONFIG_HOME syslog || fail "nothing told of a relative path"
    [ "$(wc -l < syslog)" = 2 ] || fail "a polling program floods the system's log: $(cat syslog)"
    : > syslog
    chmod 700 "$XDG_DATA_HOME/kanal/pairings"
    expect 0 ./activate "$serial" "$password"
    detach
    insert usb downgraded --serial "$serial"
    daemon "init 0x0 open 0x54" init open
    told "<84>kanal.*possible downgrade attack reader="
    echo "syslog = off" > /etc/kanal/kanal.conf
    daemon "init 0x0 open 0x54" init open
    rm /etc/kanal/kanal.conf
    XDG_CONFIG_HOME=relative daemon "init 0x0 open 0x54" init open
    wait_until grep -q XDG_CONFIG_HOME syslog
    [ "$(grep -c downgrade syslog)" = 1 ] || fail "the system's log is told what the administrator does not want: $(cat syslog)"
}
