#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: `load_pkcs11_keys` of AsyncSSH loads every key of RSA and ECDSA that a token has, the kinds that it signs with.
# Seen: AsyncSSH 2.24.1 reads CKA_EC_POINT of the private key, an attribute that only public keys have (PKCS #11, EC key objects).
# Private keys of a module that keeps to the standard lack it; the whole list fails with AttributeTypeInvalid, also for RSA keys.
# Consequence: beside a key of P-256, RSA keys are chosen by `key_label`; keys of P-256 serve by ssh-agent.
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
timeout 300 "$dir/venv/bin/pip" -q --disable-pip-version-check install asyncssh==2.24.1 python-pkcs11==0.10.1 \
    asn1crypto==1.5.1 cryptography==50.0.2
"$dir/venv/bin/pip" --disable-pip-version-check list 2>/dev/null | grep -i 'asyncssh\|pkcs11'
mkdir "$dir/tokens"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
tool() { timeout 60 pkcs11-tool --module "$module" --token-label T --login --pin 1234 "$@" >"$dir/out" 2>&1; }
keys() { # ARGUMENTS
    timeout 60 "$dir/venv/bin/python" -c "import asyncssh
try:
    print(len(asyncssh.load_pkcs11_keys('$module', '1234', token_label='T', load_certs=False$1)), end='')
except Exception as error:
    print(type(error).__name__, end='')"
}
tool --keypairgen --key-type rsa:2048 --id 01 --label rsa
before=$(keys '')
tool --keypairgen --key-type EC:prime256v1 --id 02 --label ec
after=$(keys '') rsa=$(keys ", key_label='rsa'")
echo "expected: 1 key, then 2"
echo "seen: $before, then $after; by the RSA key's label: $rsa"
[ "$before $after $rsa" = "1 AttributeTypeInvalid 1" ] && echo "as stated" ||
    { echo "differs: both keys are loaded, or another error comes"; exit 1; }
