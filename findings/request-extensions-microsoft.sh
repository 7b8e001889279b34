#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: an authority reads the extensions of a request from the attribute 1.3.6.1.4.1.311.2.1.14, too, under which
# Windows, and programs made for it, such as CSPs, put them; it has the same contents as extensionRequest (RFC 2986,
# RFC 2985, 5.4.2).
# Seen: OpenSSL ("-copy_extensions copy") and Python's cryptography read both attributes. certtool, with the option to
# honour a request's extensions, and Botan issue a certificate without the extensions of the second attribute, silently.
# Consequence: certificates lack names and uses that were asked for, which shows when they are used. An authority looks
# for this attribute; writers of requests use 1.2.840.113549.1.9.14.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OPENSSL_CONF=

has=$(dpkg-query -W -f '${Version}' gnutls-bin)
[ "$has" = 3.7.9-2+deb12u7 ] || { echo "differs: gnutls-bin has the version $has, not 3.7.9-2+deb12u7"; exit 1; }
timeout 120 apt-get -qq -o APT::Sandbox::User=root download botan=2.19.3+dfsg-1+deb12u1 \
    libbotan-2-19=2.19.3+dfsg-1+deb12u1 libtspi1=0.3.15-0.3
for package in ./*.deb; do dpkg-deb -x "$package" .; done
timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install cryptography==50.0.2 asn1crypto==1.5.1
cat > request.py <<'P'
import sys
from asn1crypto import core, pem, x509
from cryptography import x509 as read
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def joined(tag, *parts):
    return core.Asn1Value.load(core.OctetString(b"".join(parts)).dump()).dump().replace(b"\x04", bytes([tag]), 1)


key = ec.generate_private_key(ec.SECP256R1())
public = key.public_key().public_bytes(
    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
name = x509.GeneralNames([x509.GeneralName("dns_name", "mail.example")])
extensions = x509.Extensions([{"extn_id": "subject_alt_name", "extn_value": name}]).dump()
attribute = joined(0x30, core.ObjectIdentifier(sys.argv[1]).dump(), joined(0x31, extensions))
info = joined(0x30, core.Integer(0).dump(), x509.Name.build({"common_name": "Owner"}).dump(), public,
              joined(0xA0, attribute))
algorithm = joined(0x30, core.ObjectIdentifier("1.2.840.10045.4.3.2").dump())
signature = core.OctetBitString(key.sign(info, ec.ECDSA(hashes.SHA256()))).dump()
request = joined(0x30, info, algorithm, signature)
open("request.pem", "wb").write(pem.armor("CERTIFICATE REQUEST", request))
request = read.load_der_x509_csr(request)
print("cryptography: signature", request.is_signature_valid, "extensions", len(request.extensions))
P
timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -subj /CN=Authority -days 2 -out ca.pem 2> log
timeout 20 openssl pkcs8 -topk8 -nocrypt -in ca.key -out ca.p8
printf 'honor_crq_extensions\nexpiration_days = 2\n' > template

# Whether a certificate has the name.
named() {
    timeout 20 openssl x509 -noout -ext subjectAltName > text 2> log || true
    if grep -q mail.example text; then echo "has the name"; else echo "lacks it"; fi
}
echo "GnuTLS $has, Botan 2.19.3+dfsg-1+deb12u1, cryptography 50.0.2, $(openssl version)"
echo "expected: the same for both attributes"
for type in 1.2.840.113549.1.9.14 1.3.6.1.4.1.311.2.1.14; do
    seen=$(timeout 60 venv/bin/python request.py $type)
    seen+=$'\n'"OpenSSL: $(timeout 20 openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial \
        -copy_extensions copy -days 2 2> log | named)"
    seen+=$'\n'"certtool: $(timeout 20 certtool --generate-certificate --load-request request.pem \
        --load-ca-certificate ca.pem --load-ca-privkey ca.key --template template 2> log | named)"
    seen+=$'\n'"Botan: $(LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu timeout 20 usr/bin/botan sign_cert ca.pem ca.p8 \
        request.pem 2> log | named)"
    echo "attribute $type:"; echo "$seen"
    [ $type = 1.2.840.113549.1.9.14 ] && others="has the name" || others="lacks it"
    [ "$seen" = "cryptography: signature True extensions 1
OpenSSL: has the name
certtool: $others
Botan: $others" ] || { echo "differs: the last two are stated as \"$others\""; exit 1; }
done
echo "still so: two of four pass over the second"
