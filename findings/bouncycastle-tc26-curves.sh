#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: BouncyCastle reads keys and certificates of GOST R 34.10-2012 on all curves that it makes keys on, in the
# form of RFC 9215, 4, which leaves the parameters' digestParamSet out with TC 26's curves of 256 bits.
# Seen: Debian 12's BouncyCastle 1.72 expects the second member of the parameters in each case. Keys, public keys and
# certificates that gost-engine makes on TC26-256-A to -D and on 512-C end with "Index 1 out of bounds" or "bad version
# in X9ECParameters", which name neither the curve nor the cause; CryptoPro's curves and 512-A and -B are read.
# Consequence: correct certificates are unreadable in Java services of that age. Keys for partners with them are made on
# CryptoPro-A or 512-A, or a newer BouncyCastle is tried first.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

jdk=$(dpkg-query -W -f '${Version}' openjdk-17-jdk-headless)
timeout 300 apt-get -qq -o APT::Sandbox::User=root download libengine-gost-openssl=3.0.1-2+b1 libbcprov-java=1.72-2 \
    libbcpkix-java=1.72-2 libbcutil-java=1.72-2
for package in ./*.deb; do dpkg-deb -x "$package" .; done
jars=$(printf '%s:' usr/share/java/bc*-1.72.jar)
export OPENSSL_ENGINES=$dir/usr/lib/x86_64-linux-gnu/engines-3 OPENSSL_CONF=$dir/gost.cnf
printf 'openssl_conf = m\n[m]\nengines = e\n[e]\ngost = g\n[g]\nengine_id = gost\ndefault_algorithms = ALL\n' > gost.cnf
printf '[req]\ndistinguished_name = n\n[n]\n' >> gost.cnf
cat > Read.java <<'P'
import java.io.*;
import java.security.Security;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

public class Read {
    public static void main(String[] files) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        JcaPEMKeyConverter converter = new JcaPEMKeyConverter().setProvider("BC");
        for (String file : files) {
            try {
                Object read = new PEMParser(new FileReader(file)).readObject();
                if (read instanceof X509CertificateHolder certificate) {
                    converter.getPublicKey(certificate.getSubjectPublicKeyInfo());
                } else {
                    converter.getPrivateKey((PrivateKeyInfo) read);
                }
                System.out.println(file + ": read");
            } catch (Exception error) {
                System.out.println(file + ": " + error.getMessage().replaceAll(".*: ", ""));
            }
        }
    }
}
P
for set in 256:A 256:TCA 256:TCB 256:TCC 256:TCD 512:A 512:B 512:C; do
    name=${set/:/-}
    timeout 20 openssl genpkey -algorithm "gost2012_${set%:*}" -pkeyopt "paramset:${set#*:}" -out "$name.key"
    timeout 20 openssl req -x509 -key "$name.key" -subj /CN=Owner -days 2 -out "$name.cert"
done
echo "BouncyCastle 1.72-2, gost-engine 3.0.1-2+b1, OpenJDK $jdk"
echo "expected: all are read"
seen=$(timeout 120 java -cp "$jars" Read.java ./*.key ./*.cert)
echo "$seen"
[ "$(grep -c ': read$' <<< "$seen")" = 6 ] || { echo "differs: it was six that are read"; exit 1; }
unread=$(grep -c '\(TC.\|512-C\)\(.key: bad version in X9ECParameters\|.cert: Index 1 out of bounds for length 1\)$' \
    <<< "$seen" || true)
[ "$unread" = 10 ] ||
    { echo "differs: other curves, or other words"; exit 1; }
echo "still so: five curves of eight are unreadable"
