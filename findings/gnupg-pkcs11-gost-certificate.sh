#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: gnupg-pkcs11-scd, which reports the keys of a token to GnuPG, passes over a certificate whose key it cannot use. It
# does so with certificates of P-256 and Ed25519 keys.
# Seen: gnupg-pkcs11-scd 0.10.0 ends the list with "Bad certificate" at a certificate with a GOST key: "gpg --card-status" and
# "gpgsm --learn-card" fail, though an RSA key with its certificate is on the same token. The signature of the issuer does not
# matter: a certificate for an RSA key, issued by a GOST authority, is listed.
# Consequence: GOST certificates are kept in files, or on another token, for users of GnuPG; 0.11.0 passes over them.
set -euo pipefail
dir=$(mktemp -d)
export GNUPGHOME=$dir/gnupg SOFTHSM2_CONF=$dir/conf
trap 'timeout 20 gpgconf --kill all || true; rm -rf "$dir"' EXIT
cd "$dir"
module=/usr/lib/softhsm/libsofthsm2.so
for package in gnupg-pkcs11-scd=0.10.0-2 gpg=2.2.40-1.1+deb12u2 gpgsm=2.2.40-1.1+deb12u2 softhsm2=2.6.1-2.1 \
    opensc=0.23.0-0.3+deb12u2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
timeout 120 apt-get -qq -o APT::Sandbox::User=root download libengine-gost-openssl=3.0.1-2+b1
dpkg-deb -x ./libengine-gost-openssl_*.deb .
printf 'openssl_conf = m\n[m]\nengines = e\n[e]\ngost = g\n[g]\nengine_id = gost\ndefault_algorithms = ALL\n' >gost.cnf
printf '[req]\ndistinguished_name = n\n[n]\n' >>gost.cnf
mkdir tokens
echo "directories.tokendir = $dir/tokens" >conf
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
mkdir -m 700 gnupg
echo "scdaemon-program $(command -v gnupg-pkcs11-scd)" >gnupg/gpg-agent.conf
printf '%s\n' 'providers softhsm' "provider-softhsm-library $module" >gnupg/gnupg-pkcs11-scd.conf

# OpenSSL with gost-engine, which GnuPG and the token do not see.
ssl() { OPENSSL_ENGINES=$dir/usr/lib/x86_64-linux-gnu/engines-3 OPENSSL_CONF=$dir/gost.cnf timeout 60 openssl "$@" 2>log; }
unset OPENSSL_CONF
token() { timeout 60 pkcs11-tool --module "$module" --login --pin 1234 "$@" >log 2>&1; }
make() { # NAME ALGORITHM OPTION…: a key and a self-signed certificate
    ssl genpkey -algorithm "${@:2}" -out "$1.key"
    ssl req -x509 -key "$1.key" -subj "/CN=$1" -days 2 -outform der -out "$1.der"
}
make rsa RSA
make p256 EC -pkeyopt ec_paramgen_curve:P-256
make ed25519 ed25519
make gost gost2012_256 -pkeyopt paramset:A
ssl req -new -key rsa.key -subj /CN=issued -out issued.csr
ssl x509 -req -in issued.csr -CAform der -CA gost.der -CAkey gost.key -CAcreateserial -days 2 -outform der -out issued.der

seen() { # the answers of gpg and gpgsm, and the keys that gnupg-pkcs11-scd reports
    local card=0 learn=0
    timeout 30 gpg --batch --card-status >card 2>&1 || card=$?
    timeout 30 gpgsm --batch --disable-dirmngr --learn-card >learn 2>&1 || learn=$?
    timeout 30 gpg-connect-agent 'scd learn --force' /bye >keys 2>&1 || true
    timeout 20 gpgconf --kill all
    echo "$card $learn, $(grep '^ERR' keys || echo "$(grep -c '^S KEYPAIRINFO' keys) keys")"
    sed -n 's/^gpg: OpenPGP card not available: //p; s/^gpgsm: error learning card: //p' card learn
}
same() { echo "seen: $1: ${2//$'\n'/, }"; [ "${2//$'\n'/, }" = "$3" ] || { echo "differs: it was \"$3\""; exit 1; }; }
echo "status of gpg --card-status and gpgsm --learn-card, keys; expected: 0 0, 2 keys, with all certificates"
token --write-object rsa.key --type privkey --id 01 --label rsa
token --write-object rsa.der --type cert --id 01 --label rsa
token --write-object issued.der --type cert --id 02 --label issued
token --write-object p256.der --type cert --id 03 --label p256
token --write-object ed25519.der --type cert --id 04 --label ed25519
same "certificates of RSA, RSA by GOST, P-256, Ed25519" "$(seen)" "0 0, 2 keys"
token --write-object gost.der --type cert --id 05 --label gost
same "and one of a GOST key" "$(seen)" "2 2, ERR 36 Bad certificate <Unspecified source>, Bad certificate, Bad certificate"
token --delete-object --type cert --id 05
same "without it again" "$(seen)" "0 0, 2 keys"
echo "still so: a GOST certificate ends the list"
