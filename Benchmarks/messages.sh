#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# messages.sh [COUNT [MEBIBYTES]]: how fast signed messages are verified: so many (1,000) detached ones of 4 KiB each, with one
# signer and a chain of two certificates, by KanalKit and by OpenSSL's gost engine, each in one process that reads the same
# files. How long "kanal verify" takes for so many with 1 MiB beside each, with one processor and with all. How long a message
# of X Long type 1 takes, beside so many signatures alone as it has: the aim is twice as long at most. And how
# fast a file of so many (1,024) MiB is encrypted to a GOST certificate and decrypted, from a file to a file, by "kanal
# encrypt" and "kanal decrypt", with a key of an emulated token, and by "openssl cms", and in how much memory. The aim with
# Kuznyechik is 8 times, both ways, in 40 MiB. OMAC is one chain of blocks, which no program computes side by side.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/Scripts/common.sh
. Tests/System/Command/authority.bash
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

# row COMMAND OURS THEIRS: a row for each of both programs, of the least of their times.
row() {
    local seconds memory openssl
    read -r seconds memory <<< "$(best < kanal.times)"
    read -r openssl _ <<< "$(best < openssl.times)"
    echo "| \`kanal $1\`, $2 | $seconds | $(awk "BEGIN { printf \"%.1f\", $openssl / $seconds }") | $memory |"
    echo "| gost-engine, \`cms -$1 -$3\` | $openssl | 1 | |"
}

# took COMMAND…: its seconds, and its memory in MiB.
took() {
    python3 - "$@" << 'END'
import resource, subprocess, sys, time
start = time.monotonic()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
seconds = time.monotonic() - start
print(f"{seconds:.2f} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10}")
END
}
head -c 1048576 /dev/urandom > content
openssl cms -sign -binary -in content -signer signer.pem -inkey signer.key -outform DER -out content.p7s 2> log
mkdir large
for ((i = 0; i < count; i++)); do
    ln content large/$i
    ln content.p7s large/$i.p7s
done
: > one.times
: > all.times
for _ in 1 2 3; do
    took taskset -c 0 "$kanal" verify --ca ca.pem --offline large/*[0-9] >> one.times
    took "$kanal" verify --ca ca.pem --offline large/*[0-9] >> all.times
done
read -r one _ <<< "$(best < one.times)"
read -r all memory <<< "$(best < all.times)"
echo
echo "| \`kanal verify\` of $count messages with 1 MiB beside each | seconds | faster | MiB of memory |"
echo "| --- | ---: | ---: | ---: |"
echo "| all $(nproc) processors | $all | $(awk "BEGIN { printf \"%.2f\", $one / $all }") | $memory |"
echo "| one processor | $one | 1 | |"
rm -r large

# Of the message, of two certificates, of two lists, and of two stamps.
signatures=7
# list AUTHORITY: its list of revoked certificates.
list() {
    : > index
    printf '[ca]\ndefault_ca = own\n[own]\ndatabase = index\ndefault_md = md_gost12_256\n' > list.cnf
    expect 0 openssl ca -gencrl -config list.cnf -cert "$1.pem" -keyfile "$1.key" -crldays 5 -out "$1.crl"
}
kind gost
make_authority
start_authority
openssl x509 -in root.pem -outform DER -out tsa-ca.der
openssl req -new -x509 -key ca.key -subj /CN=Authority -days 30 -addext basicConstraints=critical,CA:true \
    -addext keyUsage=critical,keyCertSign,cRLSign -out ca.pem 2> log
openssl x509 -in ca.pem -outform DER -out ca.der
list ca
list root
openssl cms -sign -cades -binary -in 0 -signer signer.pem -inkey signer.key -outform DER -out long.p7s 2> log
kanal_exits 0 extend long.p7s --content 0 --timestamp "$url" --ca ca.pem --ca root.pem --crl ca.crl --crl root.crl
stop $server
: > kanal.times
for _ in 1 2 3 4 5; do "$root/.build/release/message-benchmark" . 200 long | paste -sd ' ' >> kanal.times; done
read -r long alone <<< "$(best < kanal.times)"
echo
echo "| a message of X Long type 1, $signatures signatures of GOST | µs | times the signatures alone |"
echo "| --- | ---: | ---: |"
echo "| KanalKit | $long | $(awk "BEGIN { printf \"%.2f\", $long / ($signatures * $alone) }") |"
echo "| one signature alone | $alone | |"

rm -f [0-9]*
openssl req -new -x509 -key signer.key -subj /CN=Recipient -days 30 -out recipient.pem 2> log
export PIN=$pin
start_pcscd
attach usb state-usb
expect 0 "$kanal" key generate --pin-source env:PIN --kind gost256 --label key --agree
expect 0 "$kanal" cert request --pin-source env:PIN --key key --subject CN=Token --output token.csr
openssl x509 -req -in token.csr -CA ca.pem -CAkey ca.key -days 30 -out token.pem 2> log
expect 0 "$kanal" cert import --pin-source env:PIN token.pem
head -c $((size << 20)) /dev/zero > large
echo
echo "| $size MiB, from a file to a file | seconds | faster | MiB of memory |"
echo "| --- | ---: | ---: | ---: |"
while read -r ours theirs; do
    : > kanal.times
    : > openssl.times
    for _ in 1 2 3; do
        took "$kanal" encrypt large --to recipient.pem --cipher "$ours" --output encrypted >> kanal.times
        rm encrypted
        took openssl cms -encrypt -binary -stream -in large -outform DER -out encrypted "-$theirs" recipient.pem >> openssl.times
        rm encrypted
    done
    row encrypt "$ours" "$theirs"
    # gost-engine 3.0.1 decrypts no more than the beginning right, and refuses it if there is a code.
    case $ours in *-omac) continue ;; esac
    "$kanal" encrypt large --to token.pem --cipher "$ours" --output encrypted > log
    openssl cms -encrypt -binary -stream -in large -outform DER -out enveloped "-$theirs" recipient.pem
    : > kanal.times
    : > openssl.times
    for _ in 1 2 3; do
        took "$kanal" decrypt --pin-source env:PIN encrypted --output opened >> kanal.times
        cmp large opened
        rm opened
        took openssl cms -decrypt -binary -inform DER -in enveloped -inkey signer.key -recip recipient.pem -out opened \
            >> openssl.times
        rm opened
    done
    rm encrypted enveloped
    row decrypt "$ours" "$theirs"
done << 'END'
kuznyechik kuznyechik-ctr-acpkm
kuznyechik-omac kuznyechik-ctr-acpkm-omac
magma magma-ctr-acpkm
gost28147 gost89
END
