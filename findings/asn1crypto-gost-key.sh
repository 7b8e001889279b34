#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: asn1crypto, by which pyHanko and certvalidator read certificates, gives the SHA-1 of a key's bits
# (RFC 5280, 4.2.1.2, method 1) for every key, since it needs nothing of the algorithm; for an algorithm that it does not know,
# an error that says so, or the object identifier.
# Seen: of a certificate with a GOST key asn1crypto 1.5.1 reads names, numbers and times; "sha1" and "sha256" of its public key
# end with KeyError "No field numbered 1 is present" or the object identifier, as "algorithm" and "byte_size" do. The name of the
# signature's algorithm has an error that says so.
# Consequence: a program that looks for issuers by the identifiers of keys ends at the first GOST certificate among others. The
# certificate is not damaged; leave it out of what such a program reads, or compare the extension subjectKeyIdentifier.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

version=1.5.1
timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install "asn1crypto==$version"
timeout 120 apt-get -qq -o APT::Sandbox::User=root download libengine-gost-openssl=3.0.1-2+b1
dpkg-deb -x ./libengine-gost-openssl_*.deb .
export OPENSSL_ENGINES=$dir/usr/lib/x86_64-linux-gnu/engines-3 OPENSSL_CONF=$dir/gost.cnf
printf 'openssl_conf = m\n[m]\nengines = e\n[e]\ngost = g\n[g]\nengine_id = gost\ndefault_algorithms = ALL\n' > gost.cnf
printf '[req]\ndistinguished_name = n\n[n]\n' >> gost.cnf
timeout 60 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout key.pem -subj /CN=Owner -days 2 \
    -outform DER -out certificate 2> log

cat > read.py <<'P'
from asn1crypto import x509


def load():
    return x509.Certificate.load(open("certificate", "rb").read())


print("name:", load().subject.native["common_name"])
for name in ["sha1", "sha256", "algorithm", "byte_size"]:
    try:
        print(f"{name}:", getattr(load().public_key, name))
    except Exception as error:
        print(f"{name}: {type(error).__name__}")
try:
    print("signature:", load().signature_algo)
except Exception as error:
    print(f"signature: {type(error).__name__}: {error}")
P
cat > known <<'K'
name: Owner
sha1: KeyError
sha256: KeyError
algorithm: KeyError
byte_size: KeyError
signature: ValueError: Signature algorithm not known for 1.2.643.7.1.1.3.2
K
timeout 60 venv/bin/python read.py > seen
echo "asn1crypto $version, gost-engine 3.0.1-2+b1"
echo "expected: two digests, and errors that name the algorithm"
cat seen
diff known seen > log || { echo "differs:"; cat log; exit 1; }
echo "still so: the identifier of a GOST key is a KeyError"
