#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a renewed certificate that is written beside the old one, with the key's CKA_ID and the same label, leaves the
# alias of Java's key store alone: `keyAlias="web"` goes on, with one of both certificates.
# Seen: OpenJDK 17 makes other aliases of a label that two certificates have, LABEL/ISSUER/SERIAL, and of two certificates of
# one key it shows one. "web" is gone, and the server's settings name an entry that does not exist.
# Consequence: the old certificate is deleted first, or the new one gets another label and the settings name that.
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
cd "$dir"
echo "directories.tokendir = $dir/tokens" >conf
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
slot=$(timeout 20 softhsm2-util --show-slots | awk '/^Slot/ { print $2; exit }')
printf '%s\n' 'name = token' "library = $module" "slot = $slot" >java.cfg
timeout 30 openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -subj /CN=root 2>/dev/null
timeout 30 openssl req -newkey rsa:2048 -nodes -keyout web.key -out web.csr -subj /CN=web 2>/dev/null
for name in old new; do timeout 30 openssl x509 -req -in web.csr -CA root.pem -CAkey root.key -out $name.pem 2>/dev/null; done

write() { timeout 60 p11tool --batch --provider "$module" --login --write "$@" --label web --id 01 pkcs11:token=T >out 2>&1; }
aliases() { timeout 60 keytool -list -keystore NONE -storetype PKCS11 -storepass 1234 \
    -providerClass sun.security.pkcs11.SunPKCS11 -providerArg java.cfg | sed -n 's/, PrivateKeyEntry.*//p' | tr '\n' ' '; }
write --load-privkey web.key
write --load-certificate old.pem
before=$(aliases)
write --load-certificate new.pem
after=$(aliases)
echo "expected: web, before and after"
echo "seen: before: $before; after: $after"
[ "$before" = "web " ] && [[ $after =~ ^web/cn=root/[0-9]+\ $ ]] && echo "as stated" ||
    { echo "differs: the alias web stays, or both certificates are shown"; exit 1; }
