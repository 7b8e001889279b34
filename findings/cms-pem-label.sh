#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a signed message between "-----BEGIN CMS-----" lines, the label of RFC 7468, 9, is read by each library
# that reads messages in PEM. The label PKCS7 is the older standard's (section 8), and should not be written any more.
# Seen: GnuTLS, Python's cryptography and "openssl pkcs7" know PKCS7 alone, and refuse the same bytes that they read
# under the other label. "openssl cms" writes CMS and reads both.
# Consequence: a message that a program with this label "cannot decode" is not damaged: pass it DER, or change the
# label.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OPENSSL_CONF=

has=$(dpkg-query -W -f '${Version}' gnutls-bin)
[ "$has" = 3.7.9-2+deb12u7 ] || { echo "differs: gnutls-bin has the version $has, not 3.7.9-2+deb12u7"; exit 1; }
timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install cryptography==50.0.2
timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=Signer -days 2 -out cert.pem 2> log
printf 'a message' > message
timeout 20 openssl cms -sign -in message -binary -nodetach -signer cert.pem -inkey key.pem -outform PEM -out CMS.pem
sed 's/ CMS-/ PKCS7-/' CMS.pem > PKCS7.pem
cat > load.py <<'P'
import sys
from cryptography.hazmat.primitives.serialization import pkcs7

pkcs7.load_pem_pkcs7_certificates(open(sys.argv[1], "rb").read())
P

# Whether a command succeeds.
try() { if timeout 60 "$@" > log 2>&1; then echo reads; else echo refuses; fi; }

echo "GnuTLS $has, cryptography 50.0.2, $(openssl version)"
echo "expected: all read both"
for label in CMS PKCS7; do
    seen="certtool $(try certtool --p7-info --infile $label.pem)"
    seen+=", cryptography $(try venv/bin/python load.py $label.pem)"
    seen+=", openssl pkcs7 $(try openssl pkcs7 -in $label.pem -noout)"
    seen+=", openssl cms $(try openssl cms -cmsout -in $label.pem -inform PEM -noout)"
    echo "$label: $seen"
    stated="certtool reads, cryptography reads, openssl pkcs7 reads, openssl cms reads"
    [ $label = PKCS7 ] || stated="certtool refuses, cryptography refuses, openssl pkcs7 refuses, openssl cms reads"
    [ "$seen" = "$stated" ] || { echo "differs: it was \"$stated\""; exit 1; }
done
echo "still so: the label CMS is refused by three of four"
