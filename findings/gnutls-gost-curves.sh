#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: GnuTLS, whose manual lists keys of GOST R 34.10-2012 with 256 and 512 bits, verifies certificates on the curves that
# RFC 9215 (4.2) and RFC 4357 (8.4) name; for a curve that it does not know, certtool names the cause and fails.
# Seen: GnuTLS 3.7.9 verifies certificates on CryptoPro's curve A, under three of its names, and on 512-A. On all others, as
# TC26-256-A and 512-C, "certtool --verify" says "Not verified. The certificate is NOT trusted." as of a stranger's, and
# "certtool --certificate-info" shows the certificate without its key, with status 0; "The curve is unsupported" stands there
# among the lines.
# Consequence: such a certificate is not suspect because GnuTLS does not trust it; ask OpenSSL with a GOST engine or provider.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

has=$(dpkg-query -W -f '${Version}' gnutls-bin)
[ "$has" = 3.7.9-2+deb12u7 ] || { echo "differs: gnutls-bin has the version $has, not 3.7.9-2+deb12u7"; exit 1; }
timeout 120 apt-get -qq -o APT::Sandbox::User=root download libengine-gost-openssl=3.0.1-2+b1
dpkg-deb -x ./libengine-gost-openssl_*.deb .
export OPENSSL_ENGINES=$dir/usr/lib/x86_64-linux-gnu/engines-3 OPENSSL_CONF=$dir/gost.cnf
printf 'openssl_conf = m\n[m]\nengines = e\n[e]\ngost = g\n[g]\nengine_id = gost\ndefault_algorithms = ALL\n' > gost.cnf
printf '[req]\ndistinguished_name = n\n[n]\n' >> gost.cnf

echo "gnutls-bin $has, gost-engine 3.0.1-2+b1"
echo "expected: all verified, or an error that names the curve"
for curve in 256:A 256:XA 256:TCB 512:A 256:B 256:C 256:TCA 256:TCC 256:TCD 512:B 512:C; do
    timeout 60 openssl req -x509 -newkey "gost2012_${curve%:*}" -pkeyopt "paramset:${curve#*:}" -nodes -keyout key.pem \
        -subj /CN=Authority -days 2 -out ca.pem 2> log
    timeout 20 openssl verify -check_ss_sig -CAfile ca.pem ca.pem > log
    status=0
    timeout 20 certtool --verify --load-ca-certificate ca.pem --infile ca.pem > verified 2>&1 || status=$?
    timeout 20 certtool --certificate-info --infile ca.pem > shown 2>&1
    seen="status $status, $(sed -n 's/.*Chain verification output: //p' verified)$(sed -n 's/^error importing public key:/ The key:/p' shown)"
    case $curve in
        256:A | 256:XA | 256:TCB | 512:A) known="status 0, Verified. The certificate is trusted. " ;;
        *) known="status 1, Not verified. The certificate is NOT trusted.  The key: The curve is unsupported" ;;
    esac
    echo "$curve: $seen"
    [ "$seen" = "$known" ] || { echo "differs: it was \"$known\""; exit 1; }
done
echo "still so: certificates on seven of eleven curves are not trusted, as a stranger's"
