#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make.sh DIRECTORY: makes the files of this folder anew, with new keys, by the programs that the table files.tsv names. Takes
# Debian 12 with botan, gnutls-bin, libbcpkix-java, libengine-gost-openssl, libnss3-tools, openjdk-17-jdk-headless, openssl.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
work=$(mktemp -d)
cat > "$work/gost.cnf" << 'END'
openssl_conf = main
[main]
engines = engines
[engines]
gost = gost
[gost]
default_algorithms = ALL
[req]
distinguished_name = name
[name]
END
export OPENSSL_CONF=$work/gost.cnf LC_ALL=C.UTF-8
exec 3>&1 > "$work/log" 2>&1
trap 'status=$?; [ $status = 0 ] || cat "$work/log" >&3; rm -rf "$work"' EXIT
printf 'content of a test\n' > content

# ---- OpenSSL 3.0 and its gost engine ----
days="-days 27000 -addext basicConstraints=critical,CA:false -addext keyUsage=critical,digitalSignature"
own() { # NAME ALGORITHM...
    openssl genpkey -algorithm "${@:2}" -out "$work/$1.key"
    openssl req -new -x509 -key "$work/$1.key" -subj "/CN=OpenSSL $1" $days -out "$work/$1.pem"
    openssl x509 -in "$work/$1.pem" -outform DER -out "openssl-$1.cer"
}
own 2001 gost2001 -pkeyopt paramset:A
own 256 gost2012_256 -pkeyopt paramset:A
own 512 gost2012_512 -pkeyopt paramset:B
own p256 EC -pkeyopt ec_paramgen_curve:P-256
own rsa RSA -pkeyopt rsa_keygen_bits:2048
sign() { openssl cms -sign -signer "$work/$1.pem" -inkey "$work/$1.key" -in content -binary -outform DER "${@:2}"; }
for key in 256 512 2001 p256; do sign $key -out openssl-$key.p7s; done
sign 256 -nodetach -out openssl-attached.p7m
sign 256 -stream -nodetach -out openssl-stream.p7m
sign 256 -keyid -out openssl-key-id.p7s
sign rsa -keyopt rsa_padding_mode:pss -out openssl-pss.p7s
sign 256 -noattr -out openssl-bare.p7s
openssl cms -sign -signer "$work/256.pem" -inkey "$work/256.key" -in content -binary -outform PEM -out openssl-pem.p7s
openssl base64 -in openssl-256.p7s -out openssl-base64.p7s
openssl crl2pkcs7 -nocrl -certfile "$work/256.pem" -certfile "$work/rsa.pem" -outform DER -out openssl-certificates.p7b
for key in 256 2001 512 rsa; do
    openssl pkcs12 -export -inkey "$work/$key.key" -in "$work/$key.pem" -passout pass:12345678 -out openssl-$key.pfx
done
openssl pkcs12 -export -inkey "$work/256.key" -in "$work/256.pem" -passout pass: -out openssl-empty-password.pfx
openssl pkcs12 -export -inkey "$work/256.key" -in "$work/256.pem" -passout pass:12345678 -keypbe gost89 -certpbe gost89 \
    -macalg md_gost12_512 -out openssl-gost.pfx
openssl pkcs12 -export -legacy -inkey "$work/rsa.key" -in "$work/rsa.pem" -passout pass:12345678 -certpbe PBE-SHA1-3DES \
    -out openssl-3des.pfx
for key in 256 512 p256; do openssl pkcs8 -topk8 -nocrypt -in "$work/$key.key" -outform DER -out openssl-$key.key; done
openssl pkcs8 -topk8 -in "$work/256.key" -v2 aes-256-cbc -passout pass:12345678 -outform DER -out openssl-encrypted.key

# ---- BouncyCastle 1.72 ----
classes=$(printf '/usr/share/java/%s.jar:' bcprov bcpkix bcutil)
javac -cp "$classes" -d "$work" "$here/Maker.java"
java -cp "$classes$work" Maker .

# ---- Java's keytool ----
keytool -genkeypair -alias own -keyalg RSA -keysize 2048 -dname CN=keytool -validity 27000 -keystore keytool-rsa.pfx \
    -storetype PKCS12 -storepass 12345678
keytool -genkeypair -alias own -keyalg EC -groupname secp256r1 -dname CN=keytool -validity 27000 -keystore keytool-p256.pfx \
    -storetype PKCS12 -storepass 12345678

# ---- GnuTLS 3.7.9 ----
printf 'cn = GnuTLS\nexpiration_days = 27000\nsigning_key\n' > "$work/template"
certtool --generate-privkey --key-type rsa --bits 2048 --pkcs8 --password 12345678 --outder --outfile gnutls-encrypted.key
certtool --generate-privkey --key-type rsa --bits 2048 --outfile "$work/gnutls.key"
certtool --generate-self-signed --load-privkey "$work/gnutls.key" --template "$work/template" --outfile "$work/gnutls.pem"
certtool --certificate-info --infile "$work/gnutls.pem" --outder --outfile gnutls-rsa.cer
certtool --to-p12 --load-privkey "$work/gnutls.key" --load-certificate "$work/gnutls.pem" --p12-name own --password 12345678 \
    --outder --outfile gnutls-rsa.pfx
certtool --p7-detached-sign --load-privkey "$work/gnutls.key" --load-certificate "$work/gnutls.pem" --infile content --outder \
    --outfile gnutls-rsa.p7s
certtool --p7-generate --load-certificate "$work/gnutls.pem" --outder --outfile gnutls-certificates.p7b || \
    rm -f gnutls-certificates.p7b
certtool --generate-privkey --key-type gost12-512 --pkcs8 --empty-password --password "" --outder --outfile gnutls-512.key

# ---- NSS 3.87 ----
printf 12345678 > "$work/password"
mkdir "$work/nss"
certutil -N -d "sql:$work/nss" -f "$work/password"
head -c 64 /dev/urandom > "$work/noise"
certutil -S -d "sql:$work/nss" -n own -s CN=NSS -x -t CTu,CTu,CTu -v 800 -g 2048 -k rsa -f "$work/password" -z "$work/noise" -m 5
certutil -L -d "sql:$work/nss" -n own -r > nss-rsa.cer
pk12util -o nss-rsa.pfx -n own -d "sql:$work/nss" -k "$work/password" -w "$work/password"
cmsutil -S -d "sql:$work/nss" -N own -f "$work/password" -T -H SHA256 -i content -o nss-rsa.p7s
cmsutil -S -d "sql:$work/nss" -N own -f "$work/password" -H SHA256 -i content -o nss-attached.p7m

# ---- Botan 2.19 ----
botan keygen --algo=GOST-34.10-2012-512 --params=gost_512A --der-out > botan-512.key
botan keygen --algo=GOST-34.10-2012-256 --params=gost_256A --der-out > botan-256.key
botan keygen --algo=RSA --params=2048 --passphrase=12345678 --der-out > botan-rsa-encrypted.key
