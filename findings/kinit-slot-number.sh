#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: slotid= of a PKCS11 identity is the number of a slot (krb5.conf(5) has no more on it). Tools for tokens print it in
# hexadecimal digits, pkcs11-tool as "Slot 1 (0x3db381cb)": kinit reads that form, or refuses it.
# Seen: kinit of MIT Kerberos 1.20.1 reads 0x… as 0, without a message: it asks for the PIN of the token in slot 0, and costs
# it a try. With decimal digits it gets the ticket.
# Consequence: the number is written in decimal digits ("printf %d 0x3db381cb"), or token= names the token by its label.
set -euo pipefail
dir=$(mktemp -d)
trap '[ -z "${kdc:-}" ] || kill "$kdc"; rm -rf "$dir"' EXIT
cd "$dir"
export SOFTHSM2_CONF=$dir/conf KRB5_CONFIG=$dir/krb5.conf KRB5_KDC_PROFILE=$dir/krb5.conf KRB5CCNAME=FILE:$dir/ticket
export PKCS11SPY=/usr/lib/softhsm/libsofthsm2.so PKCS11SPY_OUTPUT=$dir/calls
for package in krb5-user=1.20.1-2+deb12u5 krb5-pkinit=1.20.1-2+deb12u5 krb5-kdc=1.20.1-2+deb12u5 softhsm2=2.6.1-2.1 \
    opensc=0.23.0-0.3+deb12u2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done

for name in kdc=DNS:localhost 'ann=otherName:1.3.6.1.4.1.311.20.2.3;UTF8:ann@R.TEST'; do
    timeout 60 openssl req -config <(printf '[req]\ndistinguished_name = n\n[n]\n') -x509 -newkey rsa:2048 -nodes -days 2 \
        -subj "/CN=${name%%=*}" -addext "subjectAltName=${name#*=}" -addext keyUsage=digitalSignature \
        -keyout "${name%%=*}.key" -out "${name%%=*}.pem" 2>log
done
cat kdc.pem ann.pem >anchors.pem
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf '%s\n' '[libdefaults]' 'default_realm = R.TEST' 'dns_lookup_kdc = false' '[logging]' "kdc = FILE:$dir/kdc.log" \
    '[kdcdefaults]' "kdc_listen = 127.0.0.1:$port" "kdc_tcp_listen = 127.0.0.1:$port" '[realms]' 'R.TEST = {' \
    "kdc = 127.0.0.1:$port" "database_name = $dir/principals" "key_stash_file = $dir/stash" 'pkinit_kdc_hostname = localhost' \
    "pkinit_identity = FILE:$dir/kdc.pem,$dir/kdc.key" "pkinit_anchors = FILE:$dir/anchors.pem" 'pkinit_eku_checking = none' \
    'pkinit_allow_upn = true' '}' >krb5.conf
timeout 60 kdb5_util create -s -P master >log 2>&1
timeout 20 kadmin.local -q 'addprinc -nokey +requires_preauth ann' >log 2>&1
timeout 60 krb5kdc -n >log 2>&1 &
kdc=$!
timeout 20 bash -c "until : <>/dev/tcp/127.0.0.1/$port; do sleep 0.1; done" 2>log

# The token First is in slot 0, by a serial number that ends so; Ann's key is on the other one.
mkdir tokens
echo "directories.tokendir = $dir/tokens" >conf
timeout 20 softhsm2-util --init-token --free --label First --pin 5678 --so-pin 87654321 >log
serial=$(timeout 20 pkcs11-tool --module "$PKCS11SPY" -L 2>/dev/null | sed -n 's/^ *serial num *: //p' | head -n 1)
LC_ALL=C sed -i "s/$serial/${serial%????????}00000000/" tokens/*/token.object
timeout 20 softhsm2-util --init-token --free --label Ann --pin 1234 --so-pin 87654321 >log
openssl x509 -in ann.pem -outform der -out ann.der
for object in ann.key:privkey ann.der:cert; do
    timeout 20 pkcs11-tool --module "$PKCS11SPY" --token-label Ann --login --pin 1234 --write-object "${object%:*}" \
        --type "${object#*:}" --id 01 >log 2>&1
done
slot=$(timeout 20 softhsm2-util --show-slots | sed -n '/^Slot [0-9]\{3,\}/s/^Slot //p')

asked() { # SLOT: whose PIN kinit asks for, with which result, and its status
    rm -f calls
    timeout 30 kinit -X "X509_user_identity=PKCS11:module_name=pkcs11-spy.so:slotid=$1" ann <<<1234 >said 2>&1 && status=0 ||
        status=$?
    echo "$(sed -n 's/ *PIN: .*//p' said), $(sed -n '/: C_Login$/,/^Returned/s/^Returned: *[0-9]* //p' calls), status $status"
}
echo "expected: the PIN of Ann with both, or a message about the number"
decimal=$(asked "$slot") hexadecimal=$(asked "$(printf 0x%x "$slot")")
echo "seen: decimal: $decimal; hexadecimal: $hexadecimal"
[ "$decimal; $hexadecimal" = "Ann, CKR_OK, status 0; First, CKR_PIN_INCORRECT, status 1" ] && echo "as stated" ||
    { echo "differs: hexadecimal digits are read or refused"; exit 1; }
