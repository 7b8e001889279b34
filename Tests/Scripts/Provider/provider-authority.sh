#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# provider-authority.sh: a certification authority with a GOST key of a token by the provider "kanal": certificates, chains,
# revocation lists, OCSP and time stamps, which gost-engine verifies; with ROOT=DIRECTORY by another version of OpenSSL.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/Scripts/Provider/settings.sh

# authority KEY DIGEST DIRECTORY: what "openssl ca" keeps.
authority() {
    mkdir -p "$3/issued"
    : > "$3/index"
    echo 01 > "$3/serial"
    echo 01 > "$3/number"
    cat > ca.cnf << END
[ca]
default_ca = own
[own]
database = $3/index
new_certs_dir = $3/issued
serial = $3/serial
crlnumber = $3/number
certificate = $3/ca.pem
default_md = $2
default_days = 30
default_crl_days = 7
policy = any
x509_extensions = end
unique_subject = no
[any]
commonName = supplied
[end]
basicConstraints = critical,CA:FALSE
[tsa]
extendedKeyUsage = critical,timeStamping
[responder]
extendedKeyUsage = OCSPSigning
[tsaown]
serial = $3/tsaserial
crypto_device = builtin
signer_digest = md_gost12_256
default_policy = 1.2.3.4.1
digests = md_gost12_256, md_gost12_512
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = md_gost12_256
END
    echo 01 > "$3/tsaserial"
    cat provider.cnf ca.cnf > authority.cnf
    by 0 req -x509 -key "$1" -subj /CN=Authority -days 30 -out "$3/ca.pem"
}
# as BY, with the authority's sections.
with() { expect "$1" bash -c 'openssl_with "$@"' sh "$work/authority.cnf" "${@:2}"; }

# issue KEY DIRECTORY NAME SECTION: a certificate of a key in a file.
issue() {
    if [ $3 = rsa ]; then
        by 0 genpkey -algorithm RSA -out $3.key
    else
        by 0 genpkey -algorithm gost2012_256 -pkeyopt paramset:TCA -out $3.key
    fi
    by 0 req -new -key $3.key -subj /CN=$3 -out $3.req
    with 0 ca -batch -notext -keyfile "$1" -in $3.req -extensions $4 -out $3.pem
    by 0 verify -CAfile "$2/ca.pem" $3.pem
    agrees verify -CAfile "$2/ca.pem" $3.pem
}

lists() {
    with 0 ca -keyfile "$1" -revoke bad.pem
    with 0 ca -keyfile "$1" -gencrl -out list.pem
    by 0 crl -in list.pem -CAfile "$2/ca.pem" -noout
    printed 'verify OK'
    agrees crl -in list.pem -CAfile "$2/ca.pem" -noout
    printed 'verify OK'
    by 0 verify -crl_check -CRLfile list.pem -CAfile "$2/ca.pem" good.pem
    by 2 verify -crl_check -CRLfile list.pem -CAfile "$2/ca.pem" bad.pem
    printed 'certificate revoked'
    by 1 crl -in list.pem -CAfile responder.pem -noout
    passed "$3: OpenSSL $version: certificates, chains and revocation lists"
}

# By a responder with a key of a file, and by the authority's key itself.
ocsp() {
    local signer hash
    cat good.pem bad.pem > asked.pem
    by 0 ocsp -issuer "$2/ca.pem" -cert good.pem -cert bad.pem -no_nonce -reqout request.der
    for signer in md_gost12_256:responder:responder.key "$4:$2/ca:$1"; do
        hash=${signer%%:*}
        signer=${signer#*:}
        with 0 ocsp -index "$2/index" -CA "$2/ca.pem" -rsigner ${signer%%:*}.pem -rkey "${signer#*:}" -rmd $hash -reqin request.der \
            -respout response.der
        by 0 ocsp -issuer "$2/ca.pem" -cert good.pem -cert bad.pem -no_nonce -respin response.der -CAfile "$2/ca.pem"
        printed 'Response verify OK'
        printed 'good.pem: good'
        printed 'bad.pem: revoked'
        agrees ocsp -issuer "$2/ca.pem" -cert good.pem -cert bad.pem -no_nonce -respin response.der -CAfile "$2/ca.pem"
        printed 'Response verify OK'
    done
    passed "$3: OpenSSL $version: OCSP, signed by the token's key, and by a responder's"
}

# Time stamps are PKCS #7, for which OpenSSL's core signs by no GOST key of a provider: gost-engine does, or an RSA key.
stamps() {
    local signer
    by 0 ts -query -data message -$4 -cert -out query.tsq
    by 0 ts -query -in query.tsq -text
    with 0 ts -reply -section tsaown -queryfile query.tsq -signer stamp.pem -inkey stamp.key -chain "$2/ca.pem" -out reply.tsr
    by 1 ts -verify -queryfile query.tsq -in reply.tsr -CAfile "$2/ca.pem"
    printed 'Error during signature generation'
    for signer in stamp rsa; do
        if [ $signer = stamp ]; then
            cat "$gost" ca.cnf > engine.cnf
            expect 0 env OPENSSL_CONF=engine.cnf openssl ts -reply -section tsaown -queryfile query.tsq -signer stamp.pem \
                -inkey stamp.key -chain "$2/ca.pem" -out reply.tsr
        else
            with 0 ts -reply -section tsaown -queryfile query.tsq -signer rsa.pem -inkey rsa.key -sha256 -chain "$2/ca.pem" \
                -out reply.tsr
        fi
        by 0 ts -verify -queryfile query.tsq -in reply.tsr -CAfile "$2/ca.pem"
        agrees ts -verify -queryfile query.tsq -in reply.tsr -CAfile "$2/ca.pem"
        by 0 ts -verify -data message -in reply.tsr -CAfile "$2/ca.pem"
        by 1 ts -verify -data other -in reply.tsr -CAfile "$2/ca.pem"
    done
    passed "$3: OpenSSL $version: time stamps are asked for and verified, and signed by RSA"
}

prepare
start_pcscd
provider_settings
version=$(version_of_openssl)
head -c 1000 /dev/urandom > message
head -c 1000 /dev/urandom > other
attach usb usb
uri="pkcs11:serial=$serial"
for kind in 256 512; do
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --id 0$kind --label gost$kind \
        --key-type GOSTR3410-2012-$kind:A --usage-sign
    ca="$uri;object=gost$kind?pin-value=$pin"
    authority "$ca" md_gost12_$kind ca$kind
    for certificate in good:end bad:end responder:responder stamp:tsa rsa:tsa; do
        issue "$ca" ca$kind ${certificate%:*} ${certificate#*:}
    done
    lists "$ca" ca$kind gost$kind
    ocsp "$ca" ca$kind gost$kind md_gost12_$kind
    stamps "$ca" ca$kind gost$kind md_gost12_$kind
done
detach
echo "provider-authority.sh: passed"
