#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: `id=` of a URI is CKA_ID, any bytes, each as %XX (RFC 7512), so that the URI with a random or hashed
# identifier, as p11tool prints it, names the key.
# Seen: PKCS11-cryptography-keys 0.0.6 decodes the bytes as UTF-8. Bytes that are not UTF-8 become U+FFFD, three other bytes
# each, and no key is found: 01 and 7F work, 7F 80 C0 does not.
# Consequence: such programs name keys by `object=`, or keys get short identifiers below 80.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf
module=/usr/lib/softhsm/libsofthsm2.so
for package in softhsm2=2.6.1-2.1 opensc=0.23.0-0.3+deb12u2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
python3 -m venv "$dir/venv"
timeout 300 "$dir/venv/bin/pip" -q --disable-pip-version-check install pkcs11-cryptography-keys==0.0.6 PyKCS11==1.5.20 \
    cryptography==50.0.2 asn1crypto==1.5.1
"$dir/venv/bin/pip" --disable-pip-version-check list 2>/dev/null | grep -i kcs11
mkdir "$dir/tokens"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
for id in 01 7f80c0; do
    timeout 60 pkcs11-tool --module "$module" --token-label T --login --pin 1234 --keypairgen --key-type EC:prime256v1 \
        --id $id --label "key $id" >/dev/null 2>&1
done

cat >"$dir/find.py" <<'END'
import PyKCS11, sys
from pkcs11_cryptography_keys.pkcs11_URI.pkcs11_URI import PKCS11URI
library = PyKCS11.PyKCS11Lib()
library.load(sys.argv[1])
session = library.openSession(library.getSlotList(tokenPresent=True)[0])
session.login("1234")
for name in "id=%01", "id=%7F%80%C0", "object=key%207f80c0":
    searched, label, _, key = PKCS11URI.parse(f"pkcs11:token=T;{name};type=private", None).get_private_key(session)
    print(name, "finds", label if key is not None else f"none, searched {searched.hex()}", end="; ")
END
seen=$(timeout 30 "$dir/venv/bin/python" -W ignore "$dir/find.py" "$module")
echo "expected: each finds its key"
echo "seen: $seen"
[ "$seen" = "id=%01 finds key 01; id=%7F%80%C0 finds none, searched 7fefbfbdefbfbd; object=key%207f80c0 finds key 7f80c0; " ] &&
    echo "as stated" || { echo "differs: the key is found, or another search is made"; exit 1; }
