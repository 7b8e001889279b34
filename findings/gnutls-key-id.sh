#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: the identifier of a subject's key is the SHA-1 of the key's bits (RFC 5280, 4.2.1.2, method 1). Programs can
# compute it from the key, for a message that names its recipient so, or for a token's CKA_ID.
# Seen: of one key OpenSSL and Python's cryptography make method 1; certtool makes SHA-1 of the whole
# SubjectPublicKeyInfo, and Botan 24 bytes of its SHA-256. All are allowed: the RFC names two common methods, and permits
# others.
# Consequence: a certificate is found by its extension, never by an identifier computed from its key; a certificate that
# another program makes for the same key does not fit messages to the old one.
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
timeout 300 venv/bin/pip -q --disable-pip-version-check install cryptography==50.0.2
timeout 60 openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
timeout 20 openssl pkey -in key.pem -pubout -outform DER -out public.der
tail -c 65 public.der > bits
cat > identifier.py <<'P'
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_der_public_key

key = load_der_public_key(open("public.der", "rb").read())
print(x509.SubjectKeyIdentifier.from_public_key(key).digest.hex())
P
printf 'cn = Owner\nexpiration_days = 2\n' > template

# The identifier in a certificate.
identifier() { timeout 20 openssl x509 -noout -ext subjectKeyIdentifier | tail -1 | tr -d ' :' | tr A-F a-f; }
openssl_has=$(timeout 20 openssl req -x509 -key key.pem -subj /CN=Owner -addext subjectKeyIdentifier=hash | identifier)
python_has=$(timeout 60 venv/bin/python identifier.py)
gnutls_has=$(timeout 20 certtool --generate-self-signed --load-privkey key.pem --template template 2> log | identifier)
botan_has=$(LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu timeout 20 usr/bin/botan gen_self_signed key.pem Owner |
    identifier)
bits=$(sha1sum bits | cut -c1-40)

echo "$(openssl version), cryptography 50.0.2, GnuTLS $has, Botan 2.19.3+dfsg-1+deb12u1"
echo "expected of all:        $bits"
printf 'OpenSSL:                %s\ncryptography:           %s\n' "$openssl_has" "$python_has"
printf 'certtool:               %s\nBotan:                  %s\n' "$gnutls_has" "$botan_has"
[ "$openssl_has $python_has" = "$bits $bits" ] || { echo "differs: OpenSSL or cryptography"; exit 1; }
[ "$gnutls_has" = "$(sha1sum public.der | cut -c1-40)" ] || { echo "differs: certtool hashes something else"; exit 1; }
[ "$botan_has" = "$(sha256sum public.der | cut -c1-48)" ] || { echo "differs: Botan hashes something else"; exit 1; }
echo "still so: three identifiers of one key"
