#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Zones of DNS that are signed by RSA and P-256 keys of an emulated token, which has a GOST key, too: by Knot, also as a server of
# another user, and by ldns. BIND verifies them, without the token; its own programs reach no token in Debian 12.
# bats file_tags=pcscd
load ../common
load ../servers

setup_file() {
    prepare
    may_change_user || return 0
    unset OPENSSL_CONF
    printf %s $pin > pin
    chmod 600 pin
    printf '%s\n' '$ORIGIN example.' '$TTL 300' '@ SOA ns.example. root.example. 1 3600 600 86400 300' '@ NS ns' 'ns A 127.0.0.1' \
        'www A 127.0.0.2' > zone
    start_pcscd
    attach usb usb
    by_kanal key generate --kind gost256 --label gost
}

teardown() {
    stop_started
    unconfigure
}

# knot DIRECTORY ALGORITHM PIN LINE…: Knot's settings in a new directory, with the attribute of the URI that has the PIN, and more
# lines of the policy.
knot() {
    rm -rf "$1"
    mkdir -p "$1/database" "$1/signed"
    cp zone "$1/example.zone"
    cat > "$1/knot.conf" << END
server:
    rundir: $work/$1
    listen: 127.0.0.1@35985
log:
  - target: stderr
    any: info
database:
    storage: $work/$1/database
keystore:
  - id: token
    backend: pkcs11
    config: "pkcs11:serial=$serial$3 $module"
policy:
  - id: token
    keystore: token
    algorithm: $2
$(printf '    %s\n' "${@:4}")
zone:
  - domain: example.
    storage: $work/$1
    file: example.zone
    zonefile-sync: 0
    dnssec-signing: on
    dnssec-policy: token
END
}

# zone_tool STATUS PROGRAM DIRECTORY WORD…: keymgr or kzonesign for the zone, without a terminal.
zone_tool() { expect "$1" setsid --wait "$2" -c "$3/knot.conf" "${@:4}" < /dev/null; }
sign_zone() { zone_tool "$1" kzonesign "$2" -o "$2/signed" example.; }

# Whether a zone is signed, for BIND, by this algorithm.
verify_zone() {
    expect 0 dnssec-verify "${@:3}" -o example. "$1"
    printed '^Zone fully signed'
    printed "^Algorithm: $2: KSKs: 1 active"
}
# A signature of another address is none, for BIND.
refuse_changed() {
    sed 's/127\.0\.0\.2/127.0.0.3/' "$1" > changed
    expect 1 dnssec-verify "${@:2}" -o example. changed
}

@test "Knot's keymgr makes keys of both kinds on the token, and kzonesign signs with them" {
    local name
    for name in ecdsap256sha256 rsasha256; do
        knot made $name ";pin-source=$work/pin" 'manual: on'
        zone_tool 0 keymgr made example. generate ksk=yes
        zone_tool 0 keymgr made example. generate zsk=yes
        sign_zone 0 made
        verify_zone made/signed/example.zone ${name^^}
        refuse_changed made/signed/example.zone
        expect 0 kzonecheck --dnssec on --origin example. made/signed/example.zone
    done
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin -O --type privkey
    [ "$(grep -c '^ *ID: *[0-9a-f]\{40\}$' output)" = 4 ] || fail "other keys: $(cat output)"
}

@test "Knot signs with keys that kanal has made" {
    by_kanal key generate --kind p256 --id 11 --label ksk
    by_kanal key generate --kind p256 --id 12 --label zsk
    knot taken ecdsap256sha256 ";pin-source=$work/pin" 'manual: on'
    zone_tool 0 keymgr taken example. import-pkcs11 11 algorithm=ecdsap256sha256 ksk=yes
    zone_tool 0 keymgr taken example. import-pkcs11 12 algorithm=ecdsap256sha256 zsk=yes
    sign_zone 0 taken
    verify_zone taken/signed/example.zone ECDSAP256SHA256
}

@test "knotd makes keys and signs, as another user, who is given the PIN by the library" {
    knot served ecdsap256sha256 ''
    sed -i "s|^    rundir:|    user: $service:$service\n&|" served/knot.conf
    # The user's own settings, and the file with the PIN.
    mkdir -p served/home/.config/kanal
    install -m 600 pin served/pin
    printf '%s\n' '[program knotd]' "authenticator = file:$work/served/pin" > served/home/.config/kanal/kanal.conf
    chown -R $service served
    HOME=$work/served/home XDG_CONFIG_HOME='' XDG_DATA_HOME='' start served.log knotd -c served/knot.conf
    wait_until grep -q 'zone file updated' served.log || fail "$(cat served.log)"
    grep -q "changing UID to $(id -u $service)" served.log || fail "knotd keeps its rights"
    verify_zone served/example.zone ECDSAP256SHA256
}

@test "Knot with a wrong PIN, another token, or a key that is gone signs nothing; a wrong PIN costs one try" {
    knot refused ecdsap256sha256 ';pin-value=99999999' 'manual: on'
    log_in
    zone_tool 1 keymgr refused example. generate ksk=yes zsk=yes
    has_tries 9
    log_in
    sed -i "s|;pin-value=99999999|;pin-source=$work/pin|" refused/knot.conf
    by_kanal key generate --kind p256 --id 13 --label lost
    zone_tool 0 keymgr refused example. import-pkcs11 13 algorithm=ecdsap256sha256 ksk=yes zsk=yes
    sign_zone 0 refused
    verify_zone refused/signed/example.zone ECDSAP256SHA256 -z
    rm refused/signed/*
    sed -i "s|;pin-source=$work/pin|;pin-value=99999999|" refused/knot.conf
    sign_zone 1 refused
    has_tries 9
    log_in
    sed -i "s|;pin-value=99999999|;pin-source=$work/pin|" refused/knot.conf
    by_kanal key delete --yes 13
    sign_zone 1 refused
    sed -i 's|serial=[0-9a-f]*|serial=00000000|' refused/knot.conf
    sign_zone 1 refused
    printed 'PKCS #11 token not available'
    [ -z "$(ls refused/signed)" ] || fail "a zone was written"
}

# ldns loads the engine by OpenSSL's settings.
ldns() {
    printf '%s\n' 'openssl_conf = main' '[main]' 'engines = engines' '[engines]' 'kanal = kanal' '[kanal]' 'engine_id = kanal' \
        "dynamic_path = $products/engines-3/kanal.so" "MODULE_PATH = $module" "PIN = ${3:-$pin}" > ldns.cnf
    rm -f ldns.zone
    OPENSSL_CONF=$work/ldns.cnf expect "$1" ldns-signzone -E kanal -K "$2" -k "$2" -o example. -f ldns.zone zone
}

@test "ldns-signzone signs by Kanal's engine, with RSA and P-256" {
    by_kanal key generate --kind rsa2048 --id 21 --label rsa
    by_kanal key generate --kind p256 --id 22 --label ec
    ldns 0 RSASHA256,pkcs11:object=rsa
    verify_zone ldns.zone RSASHA256 -z
    expect 0 kzonecheck --dnssec on --origin example. ldns.zone
    ldns 0 ECDSAP256SHA256,pkcs11:object=ec
    verify_zone ldns.zone ECDSAP256SHA256 -z
    expect 0 kzonecheck --dnssec on --origin example. ldns.zone
    refuse_changed ldns.zone -z
}

@test "BIND's dnssec-keyfromlabel of Debian 12 has no engines" {
    [[ $(dnssec-keyfromlabel -V 2>&1) == *" 9.18."* ]] || skip "another BIND"
    by_kanal key generate --kind p256 --id 31 --label bind
    ldns 1 ECDSAP256SHA256,pkcs11:object=none
    OPENSSL_CONF=$work/ldns.cnf expect 1 dnssec-keyfromlabel -E kanal -a ECDSAP256SHA256 -l pkcs11:object=bind example.
    printed 'no engine'
}
