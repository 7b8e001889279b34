#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# messages.sh [COUNT [MEBIBYTES]]: how fast signed messages are verified: so many (1,000) detached ones of 4 KiB each, with one
# signer and a chain of two certificates, by KanalKit and by OpenSSL's gost engine, each in one process that reads the same
# files. And how fast a file of so many (1,024) MiB is encrypted to a GOST certificate, from a file to a file, by "kanal encrypt"
# and by "openssl cms -encrypt", and in how much memory.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/Scripts/common.sh
count=${1:-1000}
size=${2:-1024}

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
ours=$(best < kanal.times)
openssl=$(best < openssl.times)
echo "| $count detached messages of 4 KiB, a chain of two | µs each | faster |"
echo "| --- | ---: | ---: |"
echo "| KanalKit | $ours | $(awk "BEGIN { printf \"%.1f\", $openssl / $ours }") |"
echo "| gost-engine, \`CMS_verify\` | $openssl | 1 |"

# took COMMAND…: the seconds that it takes, and its memory in MiB.
took() {
    python3 - "$@" << 'END'
import resource, subprocess, sys, time
start = time.monotonic()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
seconds = time.monotonic() - start
print(f"{seconds:.2f} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10}")
END
}
rm -f [0-9]*
openssl req -new -x509 -key signer.key -subj /CN=Recipient -days 30 -out recipient.pem 2> log
head -c $((size << 20)) /dev/zero > large
echo
echo "| $size MiB encrypted, from a file to a file | seconds | faster | MiB of memory |"
echo "| --- | ---: | ---: | ---: |"
for row in "kuznyechik kuznyechik-ctr-acpkm" "kuznyechik-omac kuznyechik-ctr-acpkm-omac" "magma magma-ctr-acpkm" "gost28147 gost89"; do
    read -r ours theirs <<< "$row"
    : > kanal.times
    : > openssl.times
    for _ in 1 2 3; do
        took "$kanal" encrypt large --to recipient.pem --cipher "$ours" --overwrite --output encrypted >> kanal.times
        rm encrypted
        took openssl cms -encrypt -binary -stream -in large -outform DER -out encrypted "-$theirs" recipient.pem >> openssl.times
        rm encrypted
    done
    read -r seconds memory <<< "$(best < kanal.times)"
    read -r openssl _ <<< "$(best < openssl.times)"
    echo "| \`kanal encrypt\`, $ours | $seconds | $(awk "BEGIN { printf \"%.1f\", $openssl / $seconds }") | $memory |"
    echo "| gost-engine, \`cms -encrypt -$theirs\` | $openssl | 1 | |"
done
