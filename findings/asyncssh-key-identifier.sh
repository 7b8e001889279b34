#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: `load_pkcs11_keys(…, key_id="01")` of AsyncSSH loads the key with the CKA_ID 01: "key IDs can be specified as
# either raw bytes or a string containing hex digits" (its documentation).
# Seen: AsyncSSH 2.24.1 searches for CKA_OBJECT_ID, an attribute of data objects that private keys do not have (PKCS #11):
# an empty list, and no error, for every token that keeps to the standard.
# Consequence: keys are chosen by `key_label`.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf PKCS11SPY=/usr/lib/softhsm/libsofthsm2.so PKCS11SPY_OUTPUT=$dir/spy
for package in softhsm2=2.6.1-2.1 opensc=0.23.0-0.3+deb12u2 opensc-pkcs11=0.23.0-0.3+deb12u2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
python3 -m venv "$dir/venv"
timeout 300 "$dir/venv/bin/pip" -q --disable-pip-version-check install asyncssh==2.24.1 python-pkcs11==0.10.1 \
    asn1crypto==1.5.1 cryptography==50.0.2
"$dir/venv/bin/pip" --disable-pip-version-check list 2>/dev/null | grep -i 'asyncssh\|pkcs11'
mkdir "$dir/tokens"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
timeout 60 pkcs11-tool --module "$PKCS11SPY" --token-label T --login --pin 1234 --keypairgen --key-type rsa:2048 --id 01 \
    --label web >/dev/null 2>&1

keys() { # ARGUMENT
    timeout 60 "$dir/venv/bin/python" -c "import asyncssh
print(len(asyncssh.load_pkcs11_keys('/usr/lib/x86_64-linux-gnu/pkcs11-spy.so', '1234', token_label='T', load_certs=False, $1)))"
}
label=$(keys "key_label='web'")
identifier=$(keys "key_id='01'")
search=$(grep -o 'CKA_OBJECT_ID' "$dir/spy" | sort -u || true)
echo "expected: one key by its label and one by its identifier"
echo "seen: by its label $label, by its identifier $identifier; the search had ${search:-no CKA_OBJECT_ID}"
[ "$label $identifier $search" = "1 0 CKA_OBJECT_ID" ] && echo "as stated" ||
    { echo "differs: the key is found, or something else searched for"; exit 1; }
