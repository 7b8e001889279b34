#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: an alias is the CKA_LABEL of the key and its certificate, with a public key beside them, and the CKA_ID joins
# them for good (PKCS #11, key objects). `keytool -changealias` renames.
# Seen: OpenJDK 17's keytool writes the alias as the CKA_ID and the certificate's label. The private key has an empty label,
# and there is no public key; `-changealias` sets another CKA_ID of key and certificate, also of those by other programs.
# Consequence: `pkcs11:object=web;type=private` finds no key that keytool has made, but `id=web` does; after `-changealias`
# no URI with the old identifier works.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf GNUTLS_PIN=1234
module=/usr/lib/softhsm/libsofthsm2.so
for package in openjdk-17-jre-headless=17.0.15+6-1~deb12u1 softhsm2=2.6.1-2.1 gnutls-bin=3.7.9-2+deb12u7; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir "$dir/tokens"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
slot=$(timeout 20 softhsm2-util --show-slots | awk '/^Slot/ { print $2; exit }')
printf '%s\n' 'name = token' "library = $module" "slot = $slot" >"$dir/java.cfg"

key() { timeout 120 keytool "$@" -keystore NONE -storetype PKCS11 -storepass 1234 \
    -providerClass sun.security.pkcs11.SunPKCS11 -providerArg "$dir/java.cfg" >"$dir/out" 2>&1; }
p11() { timeout 60 p11tool --batch --provider "$module" --login "$@" 2>/dev/null; }
objects() { p11 --list-all pkcs11:token=T | sed -n 's/.*URL: .*token=T;//p' | sort | tr '\n' ' '; }

key -genkeypair -alias web -keyalg RSA -keysize 2048 -dname CN=web
made=$(objects)
key -changealias -alias web -destalias mail
renamed=$(objects)
echo "expected: key, public key and certificate have the label web, and keep their identifier"
echo "seen: made: $made"
echo "seen: renamed: $renamed"
[ "$made" = "id=%77%65%62;object=web;type=cert id=%77%65%62;type=private " ] &&
    [ "$renamed" = "id=%6D%61%69%6C;object=mail;type=cert id=%6D%61%69%6C;type=private " ] && echo "as stated" ||
    { echo "differs: labels, identifiers or objects are others"; exit 1; }
