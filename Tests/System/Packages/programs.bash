# SPDX-License-Identifier: Apache-2.0
# A token with keys and certificates for programs of a Debian that has Kanal's packages, as roots.sh makes it, for files that
# load common and servers. The file /absent has the packages that this Debian lacks, one on each line, and why: a test that
# needs one is skipped. A program of another package that is missing has failed.

token_name=Programs

setup_file() {
    local key
    printf '# Debian %s, OpenSSL %s, pcscd %s\n' "$(. /etc/os-release; echo "${VERSION_CODENAME:-sid}")" "$(version openssl)" \
        "$(version pcscd)" >&3
    prepare
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/file" "$work"
    # Without gost-engine OpenSSL cannot read the file that names it.
    openssl dgst -md_gost12_256 /dev/null > /dev/null 2>&1 || printf '[req]\ndistinguished_name = name\n[name]\n' > openssl.cnf
    echo "What is signed" > message
    cp /etc/kanal/kanal.conf .
    start_pcscd
    attach usb usb
    by_kanal label $token_name
    for key in rsa:rsa2048 ec:p256 gost:gost256; do
        by_kanal key generate --label "${key%:*}" --kind "${key#*:}"
    done
    # An authority of RSA, in software.
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority \
        -days 30 -addext basicConstraints=critical,CA:true
    certified rsa
    certified ec
    by_kanal key export --output gost.pub gost
}

teardown() {
    stop_started
    [ -z "${agent:-}" ] || stop_agent
    cp "$work/kanal.conf" /etc/kanal/kanal.conf
}

# certified LABEL: issues the authority's certificate for a key of the token, as LABEL.pem and on the token.
certified() {
    by_kanal cert request --key "$1" --subject "CN=$1" --output "$1.csr"
    expect 0 openssl req -in "$1.csr" -verify -noout
    expect 0 openssl x509 -req -CA authority.pem -CAkey authority.key -CAcreateserial -days 30 -in "$1.csr" -out "$1.pem"
    expect 0 openssl x509 -in "$1.pem" -pubkey -noout
    mv output "$1.pub"
    by_kanal cert import "$1.pem"
}

# The test needs packages, whose versions it prints, and has a directory of its own.
needs() {
    local package reason
    for package in "$@"; do
        reason=$(absence "$package")
        [ -z "$reason" ] || skip "$reason"
        [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package")" = installed ] \
            || fail "the package $package is not installed"
        echo "# $package $(version "$package")" >&3
    done
    mkdir "$work/$BATS_TEST_NUMBER"
    cd "$work/$BATS_TEST_NUMBER"
}

version() { dpkg-query --show --showformat='${Version}' "$1" | sed 's/^[0-9]*://; s/[-+].*//'; }
is_since() { dpkg --compare-versions "$(version "$1")" ge "$2"; }
# Runs a program without a terminal for its questions.
alone() { expect 0 setsid --wait "$@" < /dev/null; }

# A signed message in the file "signed" is valid under an authority, and has the message.
opens() {
    expect 0 openssl cms -verify -inform der -in "$1" -CAfile "$2" -purpose any -binary -out opened
    cmp "$work/message" opened
}

# Whether a TLS server at a port proves to have the key of a certificate: port, name, the server's log.
greets() {
    wait_until sh -c "openssl s_client -connect 127.0.0.1:$1 < /dev/null" || fail "no server: $(tail -n 20 "$3")"
    expect 0 openssl s_client -connect "127.0.0.1:$1" -CAfile "$work/authority.pem" -verify_return_error -brief < /dev/null
    printed 'Verification: OK'
    printed "Peer certificate: CN *= *$2"
}

# A zone of DNS, and whether it is signed by an algorithm, for BIND, in the file "signed".
make_zone() {
    printf '%s\n' '$ORIGIN example.' '$TTL 300' '@ SOA ns.example. root.example. 1 3600 600 86400 300' '@ NS ns' \
        'ns A 127.0.0.1' > zone
}
verify_zone() {
    expect 0 dnssec-verify -o example. signed
    printed "^Algorithm: $1: KSKs: 1 active"
    sed 's/127\.0\.0\.1/127.0.0.2/' signed > changed
    expect 1 dnssec-verify -o example. changed
}
