#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a zone's keys may sign all records with or without the flag SEP: validators do not go by it (RFC 4034, 2.1.1). Two
# such keys, as during a change of keys or of their algorithm, make a good zone, as one of them does.
# Seen: kzonecheck of Knot 3.2.6 says "no valid signature for a record" of a zone with two KSKs that both sign all records, of two
# algorithms or of one, and of a zone whose keys have no SEP. BIND's dnssec-verify and ldns-verify-zone verify all of them. With
# one KSK alone, or a KSK and a ZSK for each algorithm, kzonecheck has nothing to say.
# Consequence: a zone whose KSKs also sign its records is checked by dnssec-verify -z or ldns-verify-zone while it has two of them;
# for kzonecheck it gets a ZSK beside each KSK.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for package in knot-dnssecutils=3.2.6-1 bind9-utils=1:9.18.49-1~deb12u3 ldnsutils=1.8.3-1+b1; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
printf '%s\n' '@ 300 SOA ns root 1 3600 600 86400 300' '@ 300 NS ns' 'ns 300 A 127.0.0.1' 'www 300 A 127.0.0.2' >zone

key() { timeout 60 dnssec-keygen -q -a "$@" example.; }
rsa=$(key RSASHA256 -f KSK) ec=$(key ECDSAP256SHA256 -f KSK) more=$(key ECDSAP256SHA256 -f KSK)
rsa_zone=$(key RSASHA256) ec_zone=$(key ECDSAP256SHA256)

verdict() { timeout 20 "$@" >log 2>&1 && printf 'good ' || sed -n 's/^ *1\t//p' log; }
same() { # NAME EXPECTED KEY…: signs the zone with the keys, all records by each, and has it verified by three programs
    local name=$1 expected=$2 seen
    shift 2
    cat zone "${@/%/.key}" >unsigned
    timeout 60 dnssec-signzone -z -o example. -f signed unsigned "$@" >log 2>&1
    seen=$(verdict dnssec-verify -z -o example. signed; verdict ldns-verify-zone signed
        verdict kzonecheck --dnssec on --origin example. signed)
    echo "seen: $name: ${seen% }"
    [ "${seen% }" = "good good $expected" ] || { echo "differs: it was \"good good $expected\""; exit 1; }
}
echo "dnssec-verify, ldns-verify-zone, kzonecheck; expected: good good good for all"
same "one KSK, RSA" good "$rsa"
same "one KSK, P-256" good "$ec"
same "KSK and ZSK, RSA and P-256" good "$rsa" "$ec" "$rsa_zone" "$ec_zone"
same "two KSKs, RSA and P-256" "no valid signature for a record" "$rsa" "$ec"
same "two KSKs, P-256" "no valid signature for a record" "$ec" "$more"
same "two keys without SEP" "no valid signature for a record" "$rsa_zone" "$ec_zone"
echo "as stated"
