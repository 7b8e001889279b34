#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a PFX file under a password with Cyrillic letters is opened by Java, which accepts passwords as char[]:
# PKCS #12 has them in UTF-16 (RFC 7292, B.1), PBES2 in UTF-8 (RFC 8018, 3), and OpenSSL, GnuTLS and NSS agree.
# Seen: Java 17 reports "keystore password was incorrect" for files with AES and with triple DES; only the inner cause is
# "Password is not ASCII". The three others open both.
# Consequence: a right password counts as wrong, and is typed again and again. Files for Java have passwords in ASCII.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OPENSSL_CONF='' LC_ALL=C.UTF-8

for package in openjdk-17-jdk-headless=17.0.15+6-1~deb12u1 gnutls-bin=3.7.9-2+deb12u7 \
    libnss3-tools=2:3.87.1-1+deb12u4; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}")
    [ "$has" = "${package#*=}" ] || { echo "differs: the version is $has, not $package"; exit 1; }
done
timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=Owner -days 2 -out cert.pem 2> log
timeout 20 openssl pkcs12 -export -inkey key.pem -in cert.pem -name owner -passout pass:Ключ -out aes.p12
timeout 20 openssl pkcs12 -export -inkey key.pem -in cert.pem -name owner -passout pass:Ключ -out old.p12 \
    -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1
cat > Open.java <<'P'
import java.io.*;
import java.security.*;

public class Open {
    public static void main(String[] files) throws Exception {
        char[] password = "\u041a\u043b\u044e\u0447".toCharArray();
        for (String file : files) {
            try {
                KeyStore store = KeyStore.getInstance("PKCS12");
                store.load(new FileInputStream(file), password);
                System.out.println(file + ": " + store.getKey("owner", password).getAlgorithm());
            } catch (Exception error) {
                Throwable cause = error.getCause() == null ? error : error.getCause();
                System.out.println(file + ": " + error.getMessage() + " / " + cause.getMessage());
            }
        }
    }
}
P
echo "OpenJDK 17.0.15+6-1~deb12u1, GnuTLS 3.7.9-2+deb12u7, NSS 3.87.1, $(openssl version)"
echo "expected: all open both files"
mkdir nss
timeout 20 certutil -N -d nss --empty-password
for file in aes old; do
    timeout 20 openssl pkcs12 -in $file.p12 -passin pass:Ключ -nokeys -out log 2> log2 &&
        echo "OpenSSL opens $file.p12"
    timeout 20 certtool --p12-info --inder --infile $file.p12 --password Ключ 2> log2 | grep -q 'BEGIN' &&
        echo "certtool opens $file.p12"
    timeout 20 pk12util -l $file.p12 -d nss -W Ключ > log 2>&1 && echo "NSS opens $file.p12"
done
seen=$(timeout 60 java Open.java aes.p12 old.p12)
echo "$seen"
why="keystore password was incorrect / failed to decrypt safe contents entry: \
java.io.IOException: getSecretKey failed: Password is not ASCII"
[ "$seen" = "aes.p12: $why
old.p12: $why" ] || { echo "differs: Java opens a file, or says it otherwise"; exit 1; }
echo "still so: Java refuses the password by its letters"
