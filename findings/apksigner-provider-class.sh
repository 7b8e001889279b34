#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: "apksigner sign --provider-class sun.security.pkcs11.SunPKCS11 --provider-arg token.cfg --ks NONE --ks-type PKCS11"
# signs a package of Android by a key of a token, as "apksigner sign --help" has it (example 5).
# Seen: apksigner 31.0.2 ends with "does not export sun.security.pkcs11" on Java 17, the Java of Debian 12, and so it does with
# --ks-provider-class. Since version 9 Java keeps the class from programs for which no option exports it.
# Consequence: the example works behind -J-add-exports=jdk.crypto.cryptoki/sun.security.pkcs11=ALL-UNNAMED. Without both options a
# file of Java's settings is enough, which configures Java's own provider: -JDjava.security.properties=FILE.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export SOFTHSM2_CONF=$dir/conf
for package in apksigner=31.0.2-1 openjdk-17-jre-headless=17.0.15+6-1~deb12u1 softhsm2=2.6.1-2.1; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
timeout 20 java -version 2>&1 | grep -q '"17\.0\.15"' || { echo "differs: java is not that of the package"; exit 1; }
mkdir tokens
echo "directories.tokendir = $dir/tokens" >conf
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
printf '%s\n' 'name = token' 'library = /usr/lib/softhsm/libsofthsm2.so' 'slotListIndex = 0' >token.cfg
printf 1234 >pin
timeout 60 keytool -genkeypair -keyalg RSA -keysize 2048 -alias key -dname CN=Key -keystore NONE -storetype PKCS11 \
    -storepass:file pin -providerClass sun.security.pkcs11.SunPKCS11 -providerArg token.cfg >log 2>&1

# A package whose manifest has one element without attributes.
python3 - <<'END'
import struct
import zipfile

names = b"\x08\x08manifest\0\0"
texts = struct.pack("<HHIIIIIII", 1, 28, 32 + len(names), 1, 0, 1 << 8, 32, 0, 0) + names
def node(kind, fields):
    return struct.pack("<HHIIi", kind, 16, 16 + len(fields), 1, -1) + fields
root = node(0x102, struct.pack("<iiHHHHHH", -1, 0, 20, 20, 0, 0, 0, 0)) + node(0x103, struct.pack("<ii", -1, 0))
with zipfile.ZipFile("package.apk", "w") as package:
    package.writestr("AndroidManifest.xml", struct.pack("<HHI", 3, 8, 8 + len(texts + root)) + texts + root)
END

class=sun.security.pkcs11.SunPKCS11
signs() { # OPTION…: whether apksigner signs, and whether its signature is good
    rm -f signed.apk
    timeout 60 apksigner "$@" --ks NONE --ks-type PKCS11 --ks-pass file:pin --ks-key-alias key --min-sdk-version 21 \
        --out signed.apk package.apk >log 2>&1 || { grep -o -m 1 'does not export sun[.a-z0-9]*' log || tail -n 1 log; return 0; }
    timeout 60 apksigner verify --min-sdk-version 21 --print-certs signed.apk | sed -n 's/.*certificate DN: /signed by /p'
}
same() { echo "seen: $1: $2"; [ "$2" = "$3" ] || { echo "differs: it was \"$3\""; exit 1; }; }
echo "expected: signed by CN=Key with all"
same "--provider-class" "$(signs sign --provider-class $class --provider-arg token.cfg)" "does not export sun.security.pkcs11"
same "--ks-provider-class" "$(signs sign --ks-provider-class $class --ks-provider-arg token.cfg)" \
    "does not export sun.security.pkcs11"
same "-J-add-exports and --provider-class" "$(signs -J-add-exports=jdk.crypto.cryptoki/sun.security.pkcs11=ALL-UNNAMED sign \
    --provider-class $class --provider-arg token.cfg)" "signed by CN=Key"
number=$(sed -n 's/^security\.provider\.\([0-9]*\)=SunPKCS11$/\1/p' /etc/java-17-openjdk/security/java.security)
echo "security.provider.$number=SunPKCS11 token.cfg" >token.security
same "-JDjava.security.properties" "$(signs -JDjava.security.properties=token.security sign)" "signed by CN=Key"
echo "still so: the example of its help does not sign"
