#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# strongSwan's daemon proves itself by IKEv2 with RSA and P-256 keys of an emulated token that has a GOST key and its certificate,
# too. Its peer, in a network of its own, has no token.
# bats file_tags=pcscd
load ../common

setup_file() {
    local name
    prepare
    if [ "$(id -u)" != 0 ] || [ "${KANAL_APART:-}" != yes ]; then
        skip_all "it takes root, and networks of its own: Tests/System/apart bats …"
        return 0
    fi
    printf %s $pin > pin
    chmod 600 pin
    start_pcscd
    attach usb usb
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority -days 30 \
        -addext basicConstraints=critical,CA:true
    for name in rsa:rsa2048 ec:p256 gost:gost256; do
        by_kanal key generate --kind "${name#*:}" --label "${name%:*}"
        by_kanal cert request --key "${name%:*}" --subject "CN=${name%:*}" --output request.pem --overwrite
        issue "${name%:*}"
        by_kanal cert import "${name%:*}.pem"
    done
    expect 0 openssl req -newkey rsa:2048 -noenc -keyout peer.key -out request.pem -subj /CN=peer
    issue peer
    ip netns add peer
    ip link add to-peer type veth peer name to-us netns peer
    ip address add 192.0.2.2/24 dev to-peer
    ip link set to-peer up
    ip -n peer address add 192.0.2.1/24 dev to-us
    ip -n peer link set to-us up
    charon peer ''
    (cd peer && cp ../peer.pem x509 && cp ../peer.key private)
    cat > peer/swanctl.conf << 'END'
connections {
    all {
        childless = force
        local {
            auth = pubkey
            certs = peer.pem
        }
        remote {
            auth = pubkey
            cacerts = authority.pem
        }
    }
}
END
    run_charon peer ip netns exec peer
    loads peer
    printed 'successfully loaded 1 connections'
}

teardown() {
    [ -z "${client:-}" ] || stop "$client"
    client=
    unconfigure
}

issue() { expect 0 openssl x509 -req -in request.pem -CA authority.pem -CAkey authority.key -CAcreateserial -days 30 -out "$1.pem"; }

# charon NAME PLUGIN…: the settings of a daemon in a directory.
charon() {
    rm -rf "$1"
    mkdir -p "$1"/{x509,x509ca,private}
    cp authority.pem "$1/x509ca"
    cat > "$1/strongswan.conf" << END
charon-systemd {
    load = random nonce x509 pem pkcs1 pkcs8 pubkey sha1 sha2 hmac kdf gmp curve25519 aes openssl kernel-netlink socket-default vici ${*:2}
    filelog {
        log {
            path = $work/$1/log
            default = 1
            flush_line = yes
        }
    }
    plugins {
        vici {
            socket = unix://$work/$1/vici
        }
        pkcs11 {
            modules {
                kanal {
                    path = $module
                }
            }
        }
    }
}
END
}

# run_charon NAME COMMAND…: starts the daemon by a command.
run_charon() {
    STRONGSWAN_CONF=$work/$1/strongswan.conf launch "${@:2}" charon-systemd > "$1.log" 2>&1 < /dev/null
    wait_until test -S "$1/vici" || fail "charon does not start: $(cat "$1.log")"
}

# Loads what it has to know; its output is in "output".
loads() {
    SWANCTL_DIR=$work/$1 timeout 20 setsid --wait swanctl --load-all --uri "unix://$work/$1/vici" --file "$work/$1/swanctl.conf" \
        > output 2>&1 < /dev/null || true
}

# A client with a certificate of the token, the identifier of its key, and a line for its PIN.
begin() {
    charon client pkcs11
    cp "$1.pem" client/x509
    cat > client/swanctl.conf << END
connections {
    home {
        remote_addrs = 192.0.2.1
        childless = force
        local {
            auth = pubkey
            certs = $1.pem
        }
        remote {
            auth = pubkey
            id = CN=peer
        }
    }
}
secrets {
    token {
        handle = $2
        $3
    }
}
END
    run_charon client
    client=$launched
    loads client
}

connect() { expect "$1" timeout 30 swanctl --initiate --ike home --uri "unix://$work/client/vici"; }

# The peer has verified the signature of this name.
admitted() {
    connect 0
    printed 'initiate completed successfully'
    expect 0 swanctl --list-sas --uri "unix://$work/peer/vici"
    printed "remote 'CN=$1' @ 192.0.2.2"
    expect 0 grep "authentication of 'CN=$1' with $2 successful" peer/log
}

@test "charon proves itself with RSA beside a GOST key and its certificate" {
    begin rsa 01 "pin = $pin"
    printed 'loaded key token from token'
    admitted rsa RSA_EMSA_PKCS1_SHA2_256
}

@test "charon proves itself with P-256" {
    begin ec 02 "pin = $pin"
    admitted ec ECDSA_WITH_SHA256_DER
}

@test "charon gets the PIN from the library if its settings have none" {
    configure '[program charon-systemd]' "authenticator = file:$work/pin"
    begin rsa 01 ''
    admitted rsa RSA_EMSA_PKCS1_SHA2_256
}

@test "charon with a wrong PIN, or without the key, does not connect; a wrong PIN costs one try" {
    log_in
    begin rsa 01 'pin = 99999999'
    not_printed 'loaded key'
    connect 1
    expect 0 "$kanal" info
    printed '^PIN: *9 of 10 tries left'
    log_in
    stop "$client"
    begin rsa 09 "pin = $pin"
    not_printed 'loaded key'
    connect 1
    stop "$client"
    # A certificate of another key.
    begin ec 01 "pin = $pin"
    connect 1
}
