#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: Crypt::X509, Perl's module for certificates without OpenSSL, reads names whose values have any type (RFC 5280, 4.1.2.4:
# AttributeValue is ANY), among them INN and SNILS, which are NumericString in certificates of Russian authorities (RFC 9215).
# Seen: Crypt::X509 0.55 reads certificates with RSA and GOST keys; one INN or SNILS in a name is a "decode error", and nothing of the
# certificate can be asked for. Its grammar has six types of strings and INTEGER.
# Consequence: a program with it refuses people's certificates, and reads those of tests, which have a common name alone. The
# certificate is right; read it by Net::SSLeay or the program openssl.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

timeout 120 apt-get -qq -o APT::Sandbox::User=root download libcrypt-x509-perl=0.55-1 libconvert-asn1-perl=0.33-1 \
    libengine-gost-openssl=3.0.1-2+b1
for package in ./*.deb; do dpkg-deb -x "$package" .; done
export OPENSSL_ENGINES=$dir/usr/lib/x86_64-linux-gnu/engines-3 OPENSSL_CONF=$dir/gost.cnf
printf 'openssl_conf = m\n[m]\nengines = e\n[e]\ngost = g\n[g]\nengine_id = gost\ndefault_algorithms = ALL\n' > gost.cnf
printf '[req]\ndistinguished_name = n\n[n]\n' >> gost.cnf

cat > read.pl << 'P'
use Crypt::X509;
open(my $file, "<:raw", "certificate") or die;
local $/;
my $certificate = Crypt::X509->new(cert => <$file>);
print $certificate->error ? "decode error" : "read, CN=" . $certificate->subject_cn, "\n";
P
echo "libcrypt-x509-perl 0.55-1, libconvert-asn1-perl 0.33-1, gost-engine 3.0.1-2+b1"
echo "expected: all are read"
check() {
    local key=$1 subject=$2 known=$3 seen
    # shellcheck disable=SC2086
    timeout 60 openssl req -x509 -newkey $key -nodes -keyout key.pem -subj "$subject" -days 2 -outform DER -out certificate 2> log
    seen=$(timeout 20 perl -Iusr/share/perl5 read.pl 2> log)
    echo "${key%% *}, $subject: $seen"
    [ "$seen" = "$known" ] || { echo "differs: it was \"$known\""; exit 1; }
}
check "rsa:2048" /CN=Owner "read, CN=Owner"
check "gost2012_256 -pkeyopt paramset:A" /CN=Owner "read, CN=Owner"
check "rsa:2048" /CN=Owner/INN=123456789012 "decode error"
check "gost2012_256 -pkeyopt paramset:A" /CN=Owner/SNILS=12345678901 "decode error"
echo "still so: a NumericString in a name is a decode error"
