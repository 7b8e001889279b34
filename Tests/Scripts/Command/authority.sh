# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# authority.sh: the command "kanal", a signer's certificate, and an authority for time stamps, for scripts that have read
# common.sh.

export PIN=$pin

# run STATUS WORD...: the command without a terminal; results are in "output", messages in "messages".
run() {
    local wanted=$1 status=0
    shift
    setsid --wait timeout 120 "$kanal" "$@" > output 2> messages < /dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted: kanal $*"$'\n'"$(cat output messages)"
}
told() { grep -q -e "$1" messages || fail "no \"$1\" in:"$'\n'"$(cat output messages)"; }
# Whether the last output is JSON, as the schema says, of which this expression in Python holds.
json() {
    /usr/bin/python3 -m jsonschema -i output "$root/docs/kanal.schema.json" > schema.log 2>&1 \
        || fail "not as the schema says:"$'\n'"$(cat output schema.log)"
    python3 -c 'import json, sys; d = json.load(open("output")); assert eval(sys.argv[1])' "$1" \
        || fail "not so: $1, in: $(cat output)"
}

# issue NAME EXTENSION: a certificate by the root, and its key.
issue() {
    # shellcheck disable=SC2086
    expect 0 openssl req -newkey $newkey -nodes -keyout "$1.key" -out "$1.request" -subj "/CN=$1"
    echo "$2" > "$1.extensions"
    expect 0 openssl x509 -req -in "$1.request" -CA root.pem -CAkey root.key -CAcreateserial -out "$1.pem" -days 30 \
        -extfile "$1.extensions"
}

# make_authority KIND: the certificates of an authority, and of those that are none.
make_authority() {
    newkey='gost2012_256 -pkeyopt paramset:A'
    echo md_gost12_256 > md
    if [ "$1" = rsa ]; then
        newkey=rsa:2048
        echo sha256 > md
    fi
    # shellcheck disable=SC2086
    expect 0 openssl req -x509 -newkey $newkey -nodes -keyout root.key -out root.pem -days 30 -subj /CN=Root \
        -addext basicConstraints=critical,CA:true
    issue tsa extendedKeyUsage=critical,timeStamping
    issue plain keyUsage=digitalSignature
    issue uncritical extendedKeyUsage=timeStamping
    issue several extendedKeyUsage=critical,timeStamping,emailProtection
    echo 1000 > serial
    cat > tsa.cnf << END
[tsa]
default_tsa = own
[own]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = $(cat md)
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.5
digests = sha256, sha384, sha512, md_gost12_256, md_gost12_512
ess_cert_id_alg = sha256
END
}

start_authority() {
    echo good > mode
    rm -f port
    python3 "$root/Tests/Scripts/Command/time-stamps.py" > authority.log 2>&1 &
    server=$!
    others+=($server)
    wait_until test -s port || fail "the authority does not start: $(cat authority.log)"
    url=http://127.0.0.1:$(cat port)/
}

# A certificate for the token's key.
certify() {
    run 0 key generate --kind gost256 --label signer --pin-source env:PIN
    run 0 cert request --key signer --subject CN=Signer --output request --pin-source env:PIN
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout signers.key -out signers.pem \
        -days 30 -subj /CN=Signers -addext basicConstraints=critical,CA:true
    expect 0 openssl x509 -req -in request -CA signers.pem -CAkey signers.key -CAcreateserial -out signer.pem -days 30
    run 0 cert import signer.pem --pin-source env:PIN
}

# by_bouncycastle CLASS WORD...: a program of this directory with BouncyCastle.
by_bouncycastle() {
    [ -e /usr/share/java/bcpkix.jar ] || fail "no BouncyCastle: apt-get install libbcpkix-java openjdk-17-jdk-headless"
    expect 0 java -cp "$(printf '/usr/share/java/%s.jar:' bcprov bcpkix bcutil)" "$root/Tests/Scripts/Command/$1.java" "${@:2}"
}
