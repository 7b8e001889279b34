#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a checker of certificates accepts INN, SNILS and OGRN in a name as NumericString, which RFC 9215 has in its
# module RuStrongCertsSyntax, and OpenSSL writes by itself; or it passes over types that it does not know. The module
# pyasn1-alt-modules, with which pkilint decodes, has these types.
# Seen: pkilint 0.13.3 does not ask its module: a type in a name that is unknown to it has to be a DirectoryString,
# which has no NumericString. "itu.invalid_asn1_syntax (FATAL)" for each of them, as subject and as issuer.
# Consequence: a Russian qualified certificate fails at a check before it is issued or published, though it is
# well-formed. Such remarks are let through by name and type; the certificate stays as it is.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install pkilint==0.13.3 pyasn1-alt-modules==0.4.10
cat > types.py <<'P'
from pyasn1.type import char
from pyasn1_alt_modules import rfc9215

print(*(issubclass(each, char.NumericString) for each in (rfc9215.INN, rfc9215.SNILS, rfc9215.OGRN)))
P

# The number of fatal remarks about a certificate with a field that is given.
fatal() {
    printf '[req]\ndistinguished_name = n\nprompt = no\nstring_mask = utf8only\n[n]\nCN = Root\n%s\n' "$1" > name.cnf
    timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -days 2 -config name.cnf -out cert.pem 2> log
    kind=$(timeout 20 openssl asn1parse -in cert.pem | grep -oE 'NUMERICSTRING|UTF8STRING' | tail -1)
    timeout 60 venv/bin/lint_pkix_cert lint cert.pem > remarks 2>&1 || true
    echo "$kind $(grep -c 'itu.invalid_asn1_syntax (FATAL)' remarks || true)"
}
same() { echo "$1: $3"; [ "$2" = "$3" ] || { echo "differs: it was \"$2\""; exit 1; }; }
echo "pkilint 0.13.3, pyasn1-alt-modules 0.4.10, $(openssl version)"
echo "expected: no fatal remark"
same "NumericString in the module" "True True True" "$(timeout 60 venv/bin/python types.py)"
same "INN" "NUMERICSTRING 2" "$(fatal 'INN = 001234567890')"
same "SNILS" "NUMERICSTRING 2" "$(fatal 'SNILS = 12345678901')"
same "OGRN" "NUMERICSTRING 2" "$(fatal 'OGRN = 1234567890123')"
same "a text of another type" "UTF8STRING 0" "$(fatal 'O = Owner')"
echo "still so: each number is fatal twice"
