#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: the login belongs to all sessions of a program and ends with the last one, or by C_Logout (PKCS #11,
# C_CloseSession): `close()` of one session of python-pkcs11 leaves another one's keys alone, as PyKCS11 does.
# Seen: python-pkcs11 0.10.1 calls C_Logout when it closes a session that was opened with a PIN. In all other sessions private
# keys are gone: a search finds none, a key that is held raises ObjectHandleInvalid.
# Consequence: one session with the PIN is kept open for the whole life of a service; helpers open theirs without one.
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
timeout 300 "$dir/venv/bin/pip" -q --disable-pip-version-check install python-pkcs11==0.10.1 asn1crypto==1.5.1 PyKCS11==1.5.20
"$dir/venv/bin/pip" --disable-pip-version-check list 2>/dev/null | grep -i kcs11
mkdir "$dir/tokens"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
timeout 60 pkcs11-tool --module "$module" --token-label T --login --pin 1234 --keypairgen --key-type rsa:2048 --id 01 \
    --label web >/dev/null 2>&1

cat >"$dir/first.py" <<'END'
import pkcs11, sys
from pkcs11 import Attribute, ObjectClass
token = pkcs11.lib(sys.argv[1]).get_token(token_label="T")
login, other = token.open(user_pin="1234"), token.open()
count = lambda: len(list(other.get_objects({Attribute.CLASS: ObjectClass.PRIVATE_KEY})))
key, before = other.get_key(label="web", object_class=ObjectClass.PRIVATE_KEY), count()
login.close()
try:
    key.sign(b"data")
    signs = "signs"
except pkcs11.PKCS11Error as error:
    signs = type(error).__name__
print(before, count(), signs)
END
cat >"$dir/second.py" <<'END'
import PyKCS11, sys
library = PyKCS11.PyKCS11Lib()
library.load(sys.argv[1])
slot = library.getSlotList(tokenPresent=True)[0]
login, other = library.openSession(slot), library.openSession(slot)
login.login("1234")
count = lambda: len(other.findObjects([(PyKCS11.CKA_CLASS, PyKCS11.CKO_PRIVATE_KEY)]))
before = count()
login.closeSession()
print(before, count())
END
first=$(timeout 30 "$dir/venv/bin/python" "$dir/first.py" "$module")
second=$(timeout 30 "$dir/venv/bin/python" "$dir/second.py" "$module")
echo "private keys that the other session sees before and after the first one's end, and its key"
echo "expected: 1 1 signs"
echo "seen: python-pkcs11: $first; PyKCS11: $second"
[ "$first|$second" = "1 0 ObjectHandleInvalid|1 1" ] && echo "as stated" || { echo "differs: the login stays, or ends in both"; exit 1; }
