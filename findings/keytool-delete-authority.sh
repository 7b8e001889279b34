#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: `keytool -delete` "deletes an entry" (its help), that of the alias: its key and its certificate.
# Seen: OpenJDK 17 follows the certificate's chain through the token and deletes the authority's certificate, too, although
# another program has put it there under a label of its own, unless another key's chain needs it.
# Consequence: a token that Java cleans loses the root certificate that browsers or VPNs read from it. The authority's
# certificate is kept in a file as well, or the key is deleted by another program.
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
timeout 30 openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -subj "/CN=Made-up Root" 2>/dev/null
timeout 30 openssl req -newkey rsa:2048 -nodes -keyout web.key -out web.csr -subj /CN=web 2>/dev/null
timeout 30 openssl x509 -req -in web.csr -CA root.pem -CAkey root.key -out web.pem 2>/dev/null

p11() { timeout 60 p11tool --batch --provider "$module" --login "$@" 2>/dev/null; }
labels() { { p11 --list-all pkcs11:token=T || true; } | sed -n 's/.*Label: //p' | sort | tr '\n' ' '; }
p11 --write --load-certificate root.pem --label root --id 0a pkcs11:token=T
p11 --write --load-privkey web.key --label web --id 01 pkcs11:token=T
p11 --write --load-certificate web.pem --label web --id 01 pkcs11:token=T
before=$(labels)
timeout 120 keytool -delete -alias web -keystore NONE -storetype PKCS11 -storepass 1234 \
    -providerClass sun.security.pkcs11.SunPKCS11 -providerArg java.cfg >out 2>&1
after=$(labels)
echo "before: $before"
echo "expected after -delete -alias web: root"
echo "seen after -delete -alias web: ${after:-nothing}"
[ "$before" = "root web web " ] && [ -z "$after" ] && echo "as stated" ||
    { echo "differs: the root certificate stays, or the token had other objects"; exit 1; }
