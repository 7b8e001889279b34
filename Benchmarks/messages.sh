#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# messages.sh [COUNT]: how fast signed messages are verified: so many (1,000) detached ones of 4 KiB each, with one signer and
# a chain of two certificates, by KanalKit and by OpenSSL's gost engine, each in one process that reads the same files.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/Scripts/common.sh
count=${1:-1000}

prepare
for name in ca signer; do openssl genpkey -algorithm gost2012_256 -pkeyopt paramset:A -out $name.key 2> log; done
openssl req -new -x509 -key ca.key -subj /CN=Authority -days 30 -addext basicConstraints=critical,CA:true \
    -addext keyUsage=critical,keyCertSign -out ca.pem 2> log
openssl req -new -key signer.key -subj /CN=Signer -out signer.csr 2> log
echo keyUsage=critical,digitalSignature > extensions
openssl x509 -req -in signer.csr -CA ca.pem -CAkey ca.key -days 30 -extfile extensions -out signer.pem 2> log
openssl x509 -in ca.pem -outform DER -out ca.der 2> log
for ((i = 0; i < count; i++)); do head -c 4096 /dev/urandom > $i; done
cc -O2 -Wall -Werror "$root/Benchmarks/Messages/messages.c" -lcrypto -o messages
./messages sign . "$count"
# Both once for the caches of files, then in turn: the best of five each.
best() { sort -n | head -1; }
: > kanal.times
: > openssl.times
for _ in 1 2 3 4 5; do
    "$root/.build/release/message-benchmark" . "$count" >> kanal.times
    ./messages verify . "$count" >> openssl.times
done
kanal=$(best < kanal.times)
openssl=$(best < openssl.times)
echo "| $count detached messages of 4 KiB, a chain of two | µs each | faster |"
echo "| --- | ---: | ---: |"
echo "| KanalKit | $kanal | $(awk "BEGIN { printf \"%.1f\", $openssl / $kanal }") |"
echo "| gost-engine, \`CMS_verify\` | $openssl | 1 |"
