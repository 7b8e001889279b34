#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Kerberos: kinit gets tickets by PKINIT (RFC 4556) with keys of a token, and none if the PIN, the certificate, the token or the
# KDC is wrong. With krb5 1.20.1 of Debian 12; roots.sh runs this with later ones.
# bats file_tags=apart
load ../common
load kerberos

lenient_port=35989
silent_port=35990

setup_file() {
    local program reason
    reason=$(absence 'krb5-[a-z-]*')
    [ -z "$reason" ] || { skip_all "$reason"; return 0; }
    for program in krb5kdc kadmin.local kinit; do
        command -v $program > /dev/null || { skip_all "there is no $program"; return 0; }
    done
    prepare
    unset OPENSSL_CONF
    start_pcscd
    make_realm
    furnish
    start_kdc $kdc_port
    start_kdc $lenient_port 'pkinit_allow_upn = true' 'pkinit_eku_checking = scLogin' \
        "pkinit_anchors = FILE:$work/foreign.pem" "pkinit_revoke = FILE:$work/crl.pem"
}

setup() {
    cd "$work"
    . ./.state
    [ -z "${no_tests:-}" ] || skip "$no_tests"
    [ -n "$token" ] || attach usb full --trace "$work/full-trace"
    rm -f ticket calls steps
    export KRB5_CONFIG=$work/krb5.conf KRB5CCNAME=FILE:$work/ticket
    spent=$(wrong_pins)
}

teardown() { [ -n "${no_tests:-}" ] || unconfigure; }

# ---- Tokens ----

# A token with keys and certificates of all kinds, and one with a single certificate.
furnish() {
    local from=$root/Tests/Unit/KanalCommandTests/Files
    attach usb full --label Full --trace "$work/full-trace"
    base64 --decode "$from/ann.pfx.txt" > gost.pfx
    SECRET=secret by_kanal key import --password-source env:SECRET --label gost gost.pfx
    by_kanal key generate --kind rsa2048 --id 02 --label rsa
    by_kanal key generate --kind rsa2048 --id 03 --label ben
    by_kanal key generate --kind p256 --id 04 --label ec
    issue rsa ann of_user
    issue ben ben of_user
    issue ec ann of_user
    issue rsa ann of_user expired authority 2021
    issue rsa ann of_user foreign foreign
    issue rsa ann of_upn upn
    issue rsa ann of_mail mail
    issue rsa old of_user old
    issue rsa ann of_user lost
    expect 0 openssl ca -config authority.cnf -revoke certificate.pem
    expect 0 openssl ca -config authority.cnf -gencrl -crldays 30 -out crl.pem
    attach_second usb single --label Single --trace "$work/single-trace"
    by_kanal key generate --token "$second_serial" --kind rsa2048 --label only
    of=$second_serial issue only ann of_user
}

# issue KEY USER EXTENSIONS [LABEL [AUTHORITY [YEAR]]]: puts a certificate on the token, or on the one that $of names.
issue() {
    local with=(--token "${of:-$serial}")
    by_kanal cert request "${with[@]}" --key "$1" --subject "CN=$2,OU=${4:-$1}" --output request.pem --overwrite
    $3 "$2" | certificate request.pem "${5:-authority}" "${6:-}"
    by_kanal cert import "${with[@]}" --label "${4:-$1}" certificate.pem
}

# ---- Tickets ----

@test "kinit gets a ticket by an RSA key and its certificate, with one login and without a password" {
    gets_ticket ann token=Single
    asked 'Single *PIN'
    expect 0 env KRB5_KDC_PROFILE="$work/kdc.conf" kadmin.local -r $realm -q 'getprinc ann'
    printed '^Number of keys: 0$'
}

@test "an authority that copies what --profile pkinit asks for makes a certificate that gets a ticket" {
    by_kanal cert request --token "$serial" --key rsa --subject CN=ann --profile pkinit --principal "ann@$realm" \
        --output request.pem --overwrite
    expect 0 openssl x509 -req -in request.pem -CA authority.pem -CAkey authority.key -CAcreateserial -days 30 \
        -copy_extensions copy -out certificate.pem
    by_kanal cert import --token "$serial" --label profile certificate.pem
    gets_ticket ann token=Full:certlabel=profile
    refused "Client name mismatch" ben token=Full:certlabel=profile
    by_kanal cert delete --token "$serial" --yes profile
}

@test "token= and a decimal slotid= select the token, and the other one gets no PIN" {
    local before
    before=$(grep -c '^> ..20' full-trace)
    gets_ticket ann token=Single
    gets_ticket ann slotid="$second_slot"
    [ "$(grep -c '^> ..20' full-trace)" = "$before" ] || fail "the other token got a PIN"
}

@test "certid= and certlabel= select one of several certificates, beside a GOST one" {
    gets_ticket ben token=Full:certid=03
    gets_ticket ben token=Full:certlabel=ben
    gets_ticket ann "slotid=$slot:certlabel=rsa"
}

@test "pkinit_cert_match selects one of several certificates, beside a GOST one" {
    local rule
    for rule in '<SUBJECT>^OU=ben,CN=ben$' '<SAN>^ben@' '&&<EKU>pkinit<KU>digitalSignature<SUBJECT>CN=ben'; do
        at_kdc $kdc_port "pkinit_cert_match = $rule" > match.conf
        KRB5_CONFIG=$work/match.conf gets_ticket ben token=Full
    done
}

@test "where several certificates fit, there is no ticket, and the trace has their number" {
    refused 'Pre-authentication failed: Invalid argument' ann token=Full
    printed 'There are [0-9]* certs, but there must be exactly one' steps
    at_kdc $kdc_port 'pkinit_cert_match = <SUBJECT>CN=ann' > match.conf
    KRB5_CONFIG=$work/match.conf refused 'Pre-authentication failed: No such file or directory' ann token=Full
    printed 'client checked [0-9]* certs, found [0-9]* matches' steps
}

@test "pkinit_identities and a file as authenticator: kinit asks nothing" {
    authenticate_by $pin
    at_kdc $kdc_port "pkinit_identities = PKCS11:module_name=$module:token=Single" > plain.conf
    typed='' KRB5_CONFIG=$work/plain.conf gets_ticket ann
    not_asked
}

@test "a KDC that allows UPNs gives a ticket for a certificate in the form of Active Directory" {
    at_kdc $lenient_port > lenient.conf
    KRB5_CONFIG=$work/lenient.conf gets_ticket ann token=Full:certlabel=upn
}

@test "P-256: a ticket with krb5 1.22; before, kinit signs by RSA with a handle that no search has given, which is refused" {
    if newer; then
        gets_ticket ann token=Full:certlabel=ec
        return
    fi
    refused "$failed" ann token=Full:certlabel=ec
    names_no_key
}

@test "GOST: no ticket, for the same reason; krb5 1.22 names the kind of the key" {
    export OPENSSL_CONF=$work/openssl.cnf
    openssl dgst -md_gost12_256 /dev/null > /dev/null 2>&1 || skip "OpenSSL has no GOST"
    issue gost ann of_user of-gost
    unset OPENSSL_CONF
    if newer; then
        # CKK_GOSTR3410.
        refused 'Pre-authentication failed: PKCS11 certificate has unsupported key type 48' ann token=Full:certlabel=of-gost
        return
    fi
    refused "$failed" ann token=Full:certlabel=of-gost
    names_no_key
}

# ---- Faults: no ticket ----

@test "a wrong PIN costs one try, the trace names it, and the next question warns" {
    typed=87654321 refused_at C_Login 'pin incorrect' ann token=Single
    logins 1
    costs 1
    gets_ticket ann token=Single
    asked 'Single *PIN (Warning: PIN count low)'
}

@test "a wrong PIN in the authenticator's file costs one try, and is not typed instead" {
    authenticate_by 87654321
    refused_at C_Login 'pin incorrect' ann token=Single
    not_asked
    costs 1
    unconfigure
    gets_ticket ann token=Single
}

@test "a PIN without tries is not presented, and the question and the trace say that it is locked" {
    for _ in {1..10}; do typed=87654321 kinit_exits 1 ann token=Single; done
    costs 10
    refused_at C_Login 'pin locked' ann token=Single
    asked 'Single *PIN (Warning: PIN locked)'
    costs 0
    PIN=87654321 expect 0 "$kanal" pin unblock --token "$second_serial" --pin-source env:PIN
    gets_ticket ann token=Single
}

@test "kinit names an expired certificate, and one of another authority" {
    refused "$unverified: certificate has expired" ann token=Full:certlabel=expired
    refused "$unverified: unable to get local issuer certificate" ann token=Full:certlabel=foreign
    not_printed ' C_Sign' calls
}

@test "the KDC refuses a certificate of another user, of another authority, or for another use" {
    refused 'Client name mismatch' ann token=Full:certlabel=ben
    refused 'Inconsistent key purpose' ann token=Full:certlabel=mail
    refused 'Inconsistent key purpose' ann token=Full:certlabel=upn
    at_kdc $lenient_port > lenient.conf
    KRB5_CONFIG=$work/lenient.conf refused 'Revoked certificate' ann token=Full:certlabel=lost
    # To a client that trusts it.
    at_kdc $kdc_port "pkinit_anchors = FILE:$work/foreign.pem" > trusting.conf
    KRB5_CONFIG=$work/trusting.conf refused "Can't verify certificate" ann token=Full:certlabel=foreign
}

# This one accepts the user's certificate.
@test "kinit refuses a KDC whose certificate is of another authority" {
    at_kdc $lenient_port | sed "s/authority\.pem/foreign.pem/" > foreign.conf
    KRB5_CONFIG=$work/foreign.conf refused 'Cannot read password' ann token=Full:certlabel=foreign
    printed 'Failed to verify received certificate (depth 0): unable to get local issuer certificate' steps
}

@test "a Bluetooth token gives a ticket when it is paired; before, it stops a search by token= and not by slotid=" {
    detach
    attach bt bt
    configure 'wireless_readers = Virtual PCD 00 00'
    refused_at C_OpenSession 'function not supported' ann token=Single
    gets_ticket ann slotid="$second_slot"
    PASSWORD=$password expect 0 "$kanal" pair "$serial" --password-source env:PASSWORD
    gets_ticket ann token=Single
    by_kanal key generate --token "$serial" --kind rsa2048 --label wireless
    issue wireless ann of_user
    gets_ticket ann "slotid=$slot"
    detach
}

@test "a password that has expired at the KDC ends logins by certificate, too" {
    refused 'Cannot read password' old token=Full:certlabel=old
    asked 'Password expired'
}

@test "without the token nothing is asked" {
    detach
    refused "$failed" ann token=Full
    printed 'PKINIT PKCS#11 module has no matching tokens' steps
    not_asked
}

@test "the token is taken away while the PIN is asked for" {
    local status=0
    mkfifo keys
    exec 9<> keys
    KRB5_TRACE=$work/steps launch timeout 60 kinit -X "X509_user_identity=PKCS11:module_name=$module:token=Full:certlabel=rsa" \
        ann <&9 > output 2>&1
    wait_until grep -q PIN: output
    detach
    echo $pin >&9
    wait "$launched" || status=$?
    [ $status = 1 ] || fail "exit status $status: $(cat output)"
    printed '^kinit: Pre-authentication failed: '
    printed 'C_Login.*: device removed' steps
    refute klist -s
}

@test "the token is taken away between login and signature" {
    leaving_pinentry
    configure "authenticator = pinentry:$work/leaving" 'consent = always'
    refused_at C_Sign 'device removed' ann token=Full:certlabel=rsa
    detach
    printed '\[card.removed\] C_Sign ' calls
}

@test "a KDC that cannot be reached is named before the PIN is asked for" {
    at_kdc 35999 > none.conf
    KRB5_CONFIG=$work/none.conf refused "Cannot contact any KDC for realm '$realm'" ann token=Single
    not_asked
    [ ! -e calls ] || fail "the module was called"
}

# bats test_tags=night
@test "a KDC that does not answer is given up, before the PIN is asked for" {
    local silent
    start_kdc $silent_port
    silent=$launched
    kill -STOP "$silent"
    at_kdc $silent_port > silent.conf
    KRB5_CONFIG=$work/silent.conf refused "Cannot contact any KDC for realm '$realm'" ann token=Single
    kill -CONT "$silent"
    not_asked
    [ ! -e calls ] || fail "the module was called"
}
