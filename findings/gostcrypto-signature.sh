#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a signature by gostcrypto of a digest by gostcrypto has the form in certificates, messages and tokens
# (RFC 9215, 2; PKCS #11): "openssl dgst -verify" with the engine gost accepts it.
# Seen: gostcrypto 1.2.5 follows the letter of GOST R 34.10: the digest is a number whose first byte is the most
# significant, and r comes first. All others read the digest from its last byte, and write s first. Its own check accepts
# its own signatures, so that the difference is not noticed. With the digest reversed and the halves exchanged, others
# verify them.
# Consequence: a script that signs with this library and a verifier with a token or OpenSSL refuse each other, with
# right keys. Change both orders at the border, and test with another program's verification.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install gostcrypto==1.2.5
timeout 120 apt-get -qq -o APT::Sandbox::User=root download libengine-gost-openssl=3.0.1-2+b1
dpkg-deb -x ./libengine-gost-openssl_*.deb .
export OPENSSL_ENGINES=$dir/usr/lib/x86_64-linux-gnu/engines-3 OPENSSL_CONF=$dir/gost.cnf
printf 'openssl_conf = m\n[m]\nengines = e\n[e]\ngost = g\n[g]\nengine_id = gost\ndefault_algorithms = ALL\n' > gost.cnf
timeout 20 openssl genpkey -algorithm gost2012_256 -pkeyopt paramset:TCA -out key.pem
timeout 20 openssl pkey -in key.pem -pubout -out public.pem
timeout 20 openssl pkey -in key.pem -noout -text | sed -n 's/^Private key: //p' > number
printf 'a message' > message
cat > sign.py <<'P'
from gostcrypto import gosthash, gostsignature

digest = gosthash.new("streebog256", data=bytearray(open("message", "rb").read())).digest()
curve = gostsignature.CURVES_R_1323565_1_024_2019["id-tc26-gost-3410-2012-256-paramSetA"]
signer = gostsignature.new(gostsignature.MODE_256, curve)
key = bytearray.fromhex(open("number").read().strip().zfill(64))
public = signer.public_key_generate(key)
for name, data in ("as-is", digest), ("reversed", digest[::-1]):
    signature = signer.sign(key, bytearray(data))
    assert signer.verify(public, bytearray(data), signature)
    open(name, "wb").write(signature)
    open(name + "-exchanged", "wb").write(signature[32:] + signature[:32])
P
timeout 120 venv/bin/python sign.py

echo "gostcrypto 1.2.5, gost-engine 3.0.1-2+b1"
echo "expected: OpenSSL verifies the signature as it is"
for name in as-is as-is-exchanged reversed reversed-exchanged; do
    answer=$(timeout 20 openssl dgst -md_gost12_256 -verify public.pem -signature $name message 2> errors || true)
    echo "$name: $answer"
    [ $name = reversed-exchanged ] && stated="Verified OK" || stated="Verification failure"
    [ "$answer" = "$stated" ] || { echo "differs: it was \"$stated\""; exit 1; }
done
echo "still so: only the reversed digest with exchanged halves"
