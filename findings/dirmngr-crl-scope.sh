#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: dirmngr, which gpgsm asks for lists of revoked certificates, accepts a list whose issuingDistributionPoint
# names its place: an authority with more than one list needs the extension, and it must be critical (RFC 5280, 5.2.5).
# Seen: dirmngr 2.2.40 calls the list "Invalid CRL"; its log has "unknown critical CRL extension 2.5.29.28". It accepts
# the same list without the extension. OpenSSL and certtool accept both.
# Consequence: gpgsm refuses all signatures under such an authority, as long as it checks lists. The option
# ignore-cert-extension of this version is for certificates; users of gpgsm check the list by another program.
set -euo pipefail
dir=$(mktemp -d)
export GNUPGHOME=$dir/gnupg OPENSSL_CONF=
trap 'timeout 20 gpgconf --kill all || true; rm -rf "$dir"' EXIT
cd "$dir"
mkdir -m 700 gnupg

for package in dirmngr=2.2.40-1.1+deb12u2 gpgsm=2.2.40-1.1+deb12u2 gnutls-bin=3.7.9-2+deb12u7; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}")
    [ "$has" = "${package#*=}" ] || { echo "differs: the version is $has, not $package"; exit 1; }
done
timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -subj /CN=Authority -days 2 -out ca.pem \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign 2> log
timeout 60 gpgsm --batch --disable-dirmngr --import ca.pem 2> log
timeout 20 openssl x509 -in ca.pem -noout -fingerprint -sha1 | sed 's/.*=//; s/$/ S relax/' > gnupg/trustlist.txt
printf 'verbose\nlog-file %s\n' "$dir/dirmngr.log" > gnupg/dirmngr.conf
cat > ca.cnf <<'P'
[ca]
default_ca = here
[here]
database = index
crlnumber = number
default_md = sha256
default_crl_days = 2
[scope]
issuingDistributionPoint = critical, @place
[place]
fullname = URI:http://127.0.0.1/list.crl
P
touch index
echo 01 > number
same() { echo "$1: $3"; [ "$2" = "$3" ] || { echo "differs: it was \"$2\""; exit 1; }; }
echo "dirmngr $(dpkg-query -W -f '${Version}' dirmngr), $(openssl version), GnuTLS 3.7.9"
echo "expected: all accept both"
for extension in "" scope; do
    timeout 20 openssl ca -gencrl -config ca.cnf -cert ca.pem -keyfile ca.key ${extension:+-crlexts $extension} \
        -out list.pem 2> log
    timeout 20 openssl crl -in list.pem -outform DER -out list.der
    same "OpenSSL $extension" "verify OK" "$(timeout 20 openssl crl -in list.pem -CAfile ca.pem -noout 2>&1)"
    same "certtool $extension" "Verified. The certificate is trusted." "$(timeout 20 certtool --verify-crl \
        --load-ca-certificate ca.pem --infile list.pem | sed -n 's/^Verification output: \(.*[^ ]\) *$/\1/p')"
    stated=okay
    [ -z "$extension" ] || stated="Invalid CRL"
    same "dirmngr $extension" "$stated" "$(timeout 60 gpgsm --batch --call-dirmngr LOADCRL "$dir/list.der" 2>&1 |
        sed -n 's/^gpgsm: response of dirmngr: //p' || true)"
done
same "dirmngr's reason" "unknown critical CRL extension 2.5.29.28" \
    "$(grep -o 'unknown critical CRL.*' dirmngr.log | tail -1)"
echo "still so: a list with a scope is refused"
