#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The recipes of docs/Sharing.md, carried out as written: a token of a laptop on a server, by a command of ssh and by a port that
# it brings. Programs of the server use it: OpenSSL signs CMS, and an agent of OpenSSH has its key.
# bats file_tags=share
load ../common
load far

setup_file() {
    prepare
    can_be_two || return 0
    make_machines
    # A laptop has no virtual reader, which would take the port of the recipe: the one in which the token is emulated moves.
    sed 's/8C7B/8D7B/i' /etc/reader.conf.d/vpcd > vpcd
    mount --bind vpcd /etc/reader.conf.d/vpcd
    start_pcscd
    start_far_pcscd
    insert usb near --port 36219

    # The ssh server of the far machine, and the laptop's way to it.
    far mkdir -p /run/sshd
    ssh-keygen -q -t ed25519 -N '' -f server
    ssh-keygen -q -t ed25519 -N '' -f laptop
    cp laptop.pub authorized
    chmod 600 authorized
    cat > sshd_config << END
ListenAddress $far_address
HostKey $work/server
AuthorizedKeysFile $work/authorized
PermitRootLogin yes
StrictModes no
UsePAM no
SetEnv PATH=$work/bin:$PATH
END
    cat > ssh_config << END
Host server
    LogLevel ERROR
    HostName $far_address
    User root
    IdentityFile $work/laptop
    UserKnownHostsFile $work/known
END
    echo "$far_address $(cat server.pub)" > known
    launch far /usr/sbin/sshd -D -e -f "$work/sshd_config" > sshd.log 2>&1
    wait_until bash -c "exec 3<> /dev/tcp/$far_address/22" || fail "no ssh server: $(cat sshd.log)"
    configure_far "${settings[0]}"
    printf '#!/bin/sh\nexec %s -F %s/ssh_config "$@"\n' "$(type -P ssh)" "$work" > bin/ssh
    ln -s "$kanal" bin/kanal
    chmod 700 bin/ssh
}

teardown() { stop_share; }

# The indented lines of the page between two of its lines.
recipe() { sed -n "/^$1/,/^$2/s/^    //p" "$root/docs/Sharing.md"; }

mapfile -t settings < <(recipe 'On the server, once' 'On the laptop')
mapfile -t laptop < <(recipe 'On the laptop' 'It prints')
mapfile -t far_end < <(recipe 'A far end' 'A port of the laptop')
mapfile -t with_port < <(recipe 'A port of the laptop' 'The share')
[ "${#settings[@]}" = 1 ] && [ "${#laptop[@]}" = 1 ] && [ "${#far_end[@]}" = 1 ] && [ "${#with_port[@]}" = 2 ] \
    || fail "the recipes have other lines"

kanal() { exec "$kanal" "$@" --json; }
# Carries out a line that shares the token.
share_by() {
    launch eval "$1" > share.log 2> share.errors
    share=$launched
    keep share
    happens 1 '"event":"connected"'
    wait_for far_has_card || fail "the token does not appear on the server: $(cat share.log share.errors)"
}
# The command of the share's tunnel.
tunnel() { pgrep -P "$share"; }
has_ended() { ! kill -0 "$1"; }

# Shares the token, which the server activates when it is new to it.
shared() {
    share_by "${laptop[0]}"
    if [ -n "$(told_password)" ]; then pair_far; fi
    wait_for far_has_slot || fail "the token has no slot on the server: $(cat share.log share.errors)"
}

@test "the token is there again after a break, and gone with the share" {
    local first second
    shared
    happens 1 '"address":"ssh -W'
    first=$(tunnel)
    kill "$first"
    happens 1 '"event":"disconnected".*the command of the tunnel has ended'
    happens 2 '"event":"connected"'
    wait_for far_has_slot || fail "the token is not back on the server: $(cat share.log share.errors)"
    second=$(tunnel)
    kill -KILL "$share"
    wait_for far_has_no_card || fail "the server keeps the token of a share that was killed"
    wait_for has_ended "$second" || fail "the tunnel outlives its share"
}

@test "a far end shares the token" {
    shared
    stop_share
    share_by "${far_end[0]}"
    happens 1 '"address":"ssh server kanal share --far-end"'
    wait_for far_has_slot || fail "the token has no slot on the server: $(cat share.log share.errors)"
    stop_share
    wait_for far_has_no_card || fail "the far end keeps the token without its share"
}

@test "a port that ssh brings shares the token" {
    local command
    command=${with_port[0]% &}
    [ "$command" != "${with_port[0]}" ] || fail "the tunnel of the recipe is not in the background"
    launch eval "exec $command" > tunnel.log 2>&1
    share_by "${with_port[1]}"
}

tool() { expect 0 far pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin "$@"; }
# A key of RSA on the token, as "ssh".
make_key() {
    [ ! -e key.pem ] || return 0
    rsa_key key.pem
    tool --write-object key.pem --type privkey --id 02 --label ssh --usage-sign
    openssl rsa -in key.pem -pubout -outform der -out key.der 2> /dev/null
    tool --write-object key.der --type pubkey --id 02 --label ssh --usage-sign
}
with_key() {
    expect 0 far env OPENSSL_CONF="$work/openssl-pkcs11.cnf" openssl "$1" -engine pkcs11 -keyform engine "${@:2}"
}

@test "OpenSSL on the server makes a certificate and signs CMS" {
    shared
    make_key
    head -c 1000 /dev/urandom > message
    example openssl-pkcs11.cnf
    with_key req -new -x509 -sha256 -key 'pkcs11:id=%02;type=private' -subj /CN=Kanal -days 30 -out certificate.pem
    with_key cms -sign -nodetach -inkey 'pkcs11:id=%02;type=private' -signer certificate.pem -in message -binary \
        -outform der -out signed
    expect 0 openssl cms -verify -inform der -in signed -CAfile certificate.pem -purpose any -binary -out verified
    cmp message verified || fail "CMS: other data were signed"
}

@test "an agent of OpenSSH on the server signs" {
    local agent name
    shared
    make_key
    head -c 1000 /dev/urandom > message
    expect 0 far ssh-keygen -D "$module"
    grep '^ssh-rsa' output > key.pub
    printf '#!/bin/sh\necho %s\n' $pin > askpass
    chmod 700 askpass
    launch far ssh-agent -D -a "$work/agent" -P "$(realpath "$module")" > agent.log 2>&1
    wait_until test -S agent
    agent=(far env SSH_AUTH_SOCK="$work/agent" SSH_ASKPASS="$work/askpass" SSH_ASKPASS_REQUIRE=force)
    expect 0 "${agent[@]}" setsid --wait ssh-add -s "$module" < /dev/null
    for name in message key.der; do
        expect 0 "${agent[@]}" ssh-keygen -Y sign -f key.pub -n file $name
        echo "user $(cat key.pub)" > allowed
        ssh-keygen -Y verify -f allowed -I user -n file -s $name.sig < $name > output || fail "ssh: $(cat output)"
    done
}
