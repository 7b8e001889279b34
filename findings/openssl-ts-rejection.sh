#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: "openssl ts -reply", which was to stamp and has not stamped, ends with another status than 0.
# Seen: a request for a policy that the authority does not follow gets a reply with the status "Rejected." and without a stamp;
# the command says "Response has been generated." and ends with status 0. So it is when the authority's key does not sign.
# Consequence: whoever runs an authority with the command, or stamps files by it, has to read the reply: "ts -reply -in REPLY
# -token_out" fails then.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

version=3.0.22-1~deb12u2
timeout 120 apt-get -qq -o APT::Sandbox::User=root download "openssl=$version" "libssl3=$version"
for package in ./*.deb; do dpkg-deb -x "$package" .; done
openssl() { LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu OPENSSL_CONF=/dev/null timeout 20 usr/bin/openssl "$@"; }
echo extendedKeyUsage=critical,timeStamping > extensions
openssl req -new -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=Authority -out request.pem -config <(echo '[req]
distinguished_name = name
[name]') 2> log
openssl x509 -req -in request.pem -signkey key.pem -days 3 -extfile extensions -out authority.pem 2> log
echo 01 > serial
printf '%s\n' '[tsa]' 'default_tsa = own' '[own]' 'serial = serial' 'signer_cert = authority.pem' 'signer_key = key.pem' \
    'signer_digest = sha256' 'default_policy = 1.2.3.4' 'digests = sha256' > tsa.cnf
echo text > text
openssl ts -query -data text -sha256 -tspolicy 1.2.3.5 -cert -out query 2> log
status=0
openssl ts -reply -config tsa.cnf -queryfile query -out reply > said 2>&1 || status=$?
said=$(grep -o 'Response has been generated' said || true)
found=$(openssl ts -reply -in reply -text 2> log | grep '^Status: ' || true)
stamp=0
openssl ts -reply -in reply -token_out -out token 2> log || stamp=$?

echo "OpenSSL $version, a request for another policy"
echo "exit status $status, \"$said\"; in the reply \"$found\"; the stamp from it: exit status $stamp"
[ $status = 0 ] || { echo "differs: the command fails"; exit 1; }
[ "$found" = 'Status: Rejected.' ] || { echo "differs: another status in the reply"; exit 1; }
[ $stamp != 0 ] || { echo "differs: there is a stamp"; exit 1; }
echo "still so: status 0 without a stamp"
