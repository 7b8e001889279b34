#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: two names that a library calls equal make a chain: a certificate whose issuer is the authority's name,
# read from text (RFC 4514), is accepted under that authority, whatever kind of string each value has, as it is for
# common names in PrintableString and UTF8String (RFC 5280, 7.1).
# Seen: INN and OGRN are NumericString in names of authorities, and Python's cryptography 50.0.2 writes UTF8String for a
# value from text. It calls both names equal; OpenSSL 3.0 does not ("unable to get local issuer certificate"), because
# its comparison leaves NumericString as it is. The same with a common name alone is accepted.
# Consequence: certificates of an authority with INN fail everywhere but where they were made. The issuer's name is
# taken from the authority's certificate ("issuer_name(authority.subject)"), never from text or parts.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install cryptography==50.0.2
cat > issue.py <<'P'
import datetime
import sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization

authority = x509.load_pem_x509_certificate(open("ca.pem", "rb").read())
key = serialization.load_pem_private_key(open("ca.key", "rb").read(), None)
name = authority.subject
if sys.argv[1] == "text":
    name = x509.Name.from_rfc4514_string(authority.subject.rfc4514_string())
same = "same" if name.public_bytes() == authority.subject.public_bytes() else "other"
print("equal:", name == authority.subject, "octets:", same, end=", ")
now = datetime.datetime.now(datetime.timezone.utc)
day = datetime.timedelta(days=1)
subject = x509.Name.from_rfc4514_string("CN=Owner")
issued = (x509.CertificateBuilder().issuer_name(name).subject_name(subject).public_key(key.public_key())
          .serial_number(1).not_valid_before(now - day).not_valid_after(now + day).sign(key, hashes.SHA256()))
open("issued.pem", "wb").write(issued.public_bytes(serialization.Encoding.PEM))
P
echo "cryptography 50.0.2, $(openssl version)"
echo "expected: all that are equal are accepted"
for part in "INN = 001234567890" "O = Authority"; do
    printf '[req]\ndistinguished_name = n\nprompt = no\nstring_mask = pkix\n[n]\n%s\nCN = Root\n' "$part" > ca.cnf
    timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -days 2 -config ca.cnf -out ca.pem \
        -addext basicConstraints=critical,CA:TRUE 2> log
    for from in certificate text; do
        seen=$(timeout 60 venv/bin/python issue.py $from)
        seen+=$(timeout 20 openssl verify -CAfile ca.pem issued.pem 2>&1 | sed -n 's/^error [0-9]* at.*: /OpenSSL: /p;
            s/^issued.pem: OK/OpenSSL: accepted/p' || true)
        echo "${part%% *}, issuer from $from: $seen"
        case "${part%% *} $from" in
            *certificate) stated="equal: True octets: same, OpenSSL: accepted" ;;
            "INN text") stated="equal: True octets: other, OpenSSL: unable to get local issuer certificate" ;;
            *) stated="equal: True octets: other, OpenSSL: accepted" ;;
        esac
        [ "$seen" = "$stated" ] || { echo "differs: it was \"$stated\""; exit 1; }
    done
done
echo "still so: a number from text breaks the chain"
