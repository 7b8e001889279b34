#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The adapters for swift-certificates and swift-nio-ssl, with a tag of this project as their dependency and an emulated
# token: openssl verifies certificates that a token's keys have issued, and curl gets a page from a server whose key is
# on the token.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

export KANAL=file://$work/kanal KANAL_VERSION=999.0.0
git clone -q --bare "$root" "$work/kanal"
git -C "$work/kanal" tag $KANAL_VERSION "$(git rev-parse HEAD)"
mkdir "$work/adapters"
cp -r Adapters/{Package.swift,Sources,Tests} "$work/adapters"
swift build --build-tests --package-path "$work/adapters" --scratch-path "$root/.build/adapters"
adapters=$root/.build/adapters/debug
passed "the adapters are built with a tag as their dependency"

# The root package does not depend on NIO.
! swift package show-dependencies --format json 2> /dev/null | grep -qi 'swift-nio\|swift-certificates' \
    || fail "the root package depends on NIO or swift-certificates"
passed "the root package resolves no NIO"

prepare
start_pcscd

# authority ARGUMENT...: its output is in "output".
authority() { expect 0 "$adapters/authority" $pin "$@"; }

# Starts a server with the key of a label, whose chain is in LABEL.pem. Sets $server and $port.
serve() {
    rm -f server.log
    stdbuf -oL "$adapters/tls-server" $pin "$1" "$1.pem" 0 > server.log 2>&1 &
    server=$!
    adopt $server
    wait_until grep -q '^listening on port' server.log || fail "the server does not start: $(cat server.log)"
    port=$(sed -n 's/^listening on port //p' server.log)
}

# fetch ROOT OPTION...: gets the page.
fetch() {
    curl --silent --show-error --max-time 30 --cacert "$1.pem" --resolve "localhost:$port:127.0.0.1" "${@:2}" \
        "https://localhost:$port/"
}
greets() { [ "$(fetch "$@")" = "hello from the token" ] || fail "curl $*: $(cat server.log)"; }

for identity in usb bt; do
    attach $identity $identity
    [ -z "$password" ] || ./activate "$serial" "$password" > /dev/null
    for kind in rsa p256; do
        [ $kind = rsa ] && other=p256 || other=rsa

        # ---- Certificates ----

        authority root root-$kind $kind
        cp output root-$kind.pem
        # An authority issues for keys of the other kind, too.
        for subject in $kind $other; do
            authority request server-$kind-$subject $subject
            cp output request.pem
            expect 0 openssl req -in request.pem -verify -noout
            printed 'self-signature verify OK'
            expect 0 "$adapters/authority" $pin issue root-$kind < request.pem
            cp output server-$kind-$subject.pem
            expect 0 openssl verify -x509_strict -CAfile root-$kind.pem server-$kind-$subject.pem
        done
        passed "$identity: openssl verifies what the token's $kind key has issued"

        # ---- TLS ----

        serve server-$kind-$kind
        greets root-$kind --tlsv1.2 --tls-max 1.2
        greets root-$kind --tlsv1.3
        fetch root-$kind --tls-max 1.2 --write-out '%{stderr}%{ssl_verify_result}' > /dev/null 2> result
        [ "$(cat result)" = 0 ] || fail "curl does not verify the server: $(cat result)"
        passed "$identity: curl gets a page by TLS 1.2 and 1.3 from a server whose $kind key is on the token"
        export -f fetch
        export port
        seq 24 | xargs -P 8 -I{} bash -c "fetch root-$kind" > pages
        [ "$(grep -c '^hello from the token$' pages)" = 24 ] || fail "24 at once: $(sort pages | uniq -c)"
        passed "$identity: 24 connections, eight at once, by the token's $kind key"
        stop $server
    done

    # ---- A removed token ----

    serve server-rsa-rsa
    greets root-rsa
    kill -USR1 "$token"
    wait_until sh -c '! ./readers | grep -q "^card .*Virtual PCD 00 00"' || fail "the token does not leave its reader"
    fetch root-rsa > page 2>&1 &
    fetching=$!
    sleep 2
    kill -0 $fetching || fail "a handshake did not wait for the token: $(cat page)"
    kill -USR2 "$token"
    wait $fetching || fail "after the return: $(cat page)"
    grep -q '^hello from the token$' page || fail "after the return: $(cat page)"
    passed "$identity: a handshake waits for a token that is away"
    detach
    ! fetch root-rsa --max-time 40 > page 2>&1 || fail "a page without the token"
    attach $identity $identity
    greets root-rsa
    passed "$identity: without the token the handshake fails, and with it the server goes on"
    stop $server

    KANAL_PIN=$pin expect 0 "$adapters/adaptersPackageTests.xctest" --testing-library swift-testing
    printed 'Test run with 3 tests .*passed'
    passed "$identity: the tests of the adapters"
    detach
done
echo "adapters.sh: passed"
