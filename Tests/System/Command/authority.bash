# SPDX-License-Identifier: Apache-2.0
# Authorities of GOST and RSA that openssl makes, which authorities.py serves, for files that have loaded common.bash.

. "$root/Tests/System/Command/command.bash"

# kind KIND: what keys are made of, and with which hash function they sign.
kind() {
    kind=$1
    newkey='gost2012_256 -pkeyopt paramset:A'
    digest=md_gost12_256
    if [ "$1" = rsa ]; then
        newkey=rsa:2048
        digest=sha256
    fi
}

# of_each_kind FUNCTION: with authorities of each kind, each in a directory of its own; $url is a running one's address.
of_each_kind() {
    for kind in gost rsa; do
        echo $kind
        kind $kind
        mkdir -p "$work/$kind"
        cd "$work/$kind"
        [ ! -e port ] || url=http://127.0.0.1:$(cat port)/
        "$@"
    done
}

# A root that issues certificates.
make_root() {
    # shellcheck disable=SC2086
    expect 0 openssl req -x509 -newkey $newkey -nodes -keyout root.key -out root.pem -days 30 -subj /CN=Root \
        -addext basicConstraints=critical,CA:true -addext keyUsage=keyCertSign,cRLSign
}

# issue NAME [ISSUER [NUMBER]]: a certificate with the extensions of standard input, by the root unless another issuer is
# named, and its key.
issue() {
    local number=(-CAcreateserial)
    [ -z "${3:-}" ] || number=(-set_serial "$3")
    cat > "$1.extensions"
    # shellcheck disable=SC2086
    expect 0 openssl req -newkey $newkey -nodes -keyout "$1.key" -out "$1.request" -subj "/CN=$1"
    expect 0 openssl x509 -req -in "$1.request" -CA "${2:-root}.pem" -CAkey "${2:-root}.key" "${number[@]}" \
        -out "$1.pem" -days 30 -extfile "$1.extensions"
}

# The certificates of an authority for time stamps, and of subjects that are not authorities.
make_authority() {
    make_root
    echo $digest > md
    issue tsa <<< extendedKeyUsage=critical,timeStamping
    issue plain <<< keyUsage=digitalSignature
    issue uncritical <<< extendedKeyUsage=timeStamping
    issue several <<< extendedKeyUsage=critical,timeStamping,emailProtection
    echo 1000 > serial
    cat > tsa.cnf << END
[tsa]
default_tsa = own
[own]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = $digest
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.5
digests = sha256, sha384, sha512, md_gost12_256, md_gost12_512
ess_cert_id_alg = sha256
END
}

# start_authority [PORT [SECURE]]: sets $server, its process, and $url.
start_authority() {
    echo good | tee mode > lists
    rm -f port
    launch python3 "$root/Tests/System/Command/authorities.py" "$@" > authorities.log 2>&1
    server=$launched
    wait_until test -s port || fail "the authority does not start: $(cat authorities.log)"
    url=http://127.0.0.1:$(cat port)/
}

# A certificate for the token's key.
certify() {
    as_user 0 key generate --kind gost256 --label signer
    as_user 0 cert request --key signer --subject CN=Signer --output request
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout signers.key -out signers.pem \
        -days 30 -subj /CN=Signers -addext basicConstraints=critical,CA:true
    expect 0 openssl x509 -req -in request -CA signers.pem -CAkey signers.key -CAcreateserial -out signer.pem -days 30
    as_user 0 cert import signer.pem
}

# by_bouncycastle CLASS WORD...: a program with BouncyCastle.
by_bouncycastle() {
    [ -e /usr/share/java/bcpkix.jar ] || fail "no BouncyCastle: apt-get install libbcpkix-java openjdk-17-jdk-headless"
    expect 0 java -cp "$(printf '/usr/share/java/%s.jar:' bcprov bcpkix bcutil)" "$root/Tests/Programs/Messages/$1.java" "${@:2}"
}
