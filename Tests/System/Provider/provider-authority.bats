#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Certification authorities with GOST keys of a token by the provider "kanal": certificates, chains, revocation lists, OCSP and
# time stamps, which gost-engine verifies; with ROOT=DIRECTORY by another version of OpenSSL.
# bats file_tags=share
load ../common
load provider

setup_file() {
    local bits
    prepare
    start_pcscd
    provider_settings
    head -c 1000 /dev/urandom > message
    head -c 1000 /dev/urandom > other
    attach usb usb
    for bits in 256 512; do
        generate 0$bits gost$bits GOSTR3410-2012-$bits:A
        mkdir gost$bits
        of $bits establish
    done
}

# of BITS CHECK: with the authority of this key, in its directory.
of() {
    ca="pkcs11:serial=$serial;object=gost$1$ask"
    hash=md_gost12_$1
    cd "$work/gost$1"
    "$2"
    cd "$work"
}
# as BY, with the authority's sections.
with() { by_settings "${PWD##*/}/authority.cnf" "$@"; }

# Makes certificates of keys in files, and revokes one.
establish() {
    local name section
    mkdir issued
    : > index
    tee serial number tsaserial <<< 01 > /dev/null
    cat > ca.cnf << END
[ca]
default_ca = own
[own]
database = index
new_certs_dir = issued
serial = serial
crlnumber = number
certificate = ca.pem
default_md = $hash
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
serial = tsaserial
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
    cat ../provider.cnf ca.cnf > authority.cnf
    by 0 req -x509 -key "$ca" -subj /CN=Authority -days 30 -out ca.pem
    for name in good:end bad:end responder:responder stamp:tsa rsa:tsa; do
        IFS=: read -r name section <<< "$name"
        if [ $name = rsa ]; then
            by 0 genpkey -algorithm RSA -out $name.key
        else
            by 0 genpkey -algorithm gost2012_256 -pkeyopt paramset:TCA -out $name.key
        fi
        by 0 req -new -key $name.key -subj /CN=$name -out $name.req
        with 0 ca -batch -notext -keyfile "$ca" -in $name.req -extensions $section -out $name.pem
    done
    with 0 ca -keyfile "$ca" -revoke bad.pem
    with 0 ca -keyfile "$ca" -gencrl -out list.pem
}

lists() {
    local name
    for name in good bad responder stamp rsa; do
        by 0 verify -CAfile ca.pem $name.pem
        agrees verify -CAfile ca.pem $name.pem
    done
    by 0 crl -in list.pem -CAfile ca.pem -noout
    printed 'verify OK'
    agrees crl -in list.pem -CAfile ca.pem -noout
    printed 'verify OK'
    by 0 verify -crl_check -CRLfile list.pem -CAfile ca.pem good.pem
    by 2 verify -crl_check -CRLfile list.pem -CAfile ca.pem bad.pem
    printed 'certificate revoked'
    by 1 crl -in list.pem -CAfile responder.pem -noout
}

# By a responder with a key of a file, and by the authority's key itself.
ocsp() {
    local signer signs by_hash asked=(-issuer ca.pem -cert good.pem -cert bad.pem -no_nonce)
    by 0 ocsp "${asked[@]}" -reqout request.der
    for signer in "md_gost12_256:responder:responder.key" "$hash:ca:$ca"; do
        IFS=: read -r by_hash signer signs <<< "$signer"
        with 0 ocsp -index index -CA ca.pem -rsigner $signer.pem -rkey "$signs" -rmd $by_hash -reqin request.der \
            -respout response.der
        by 0 ocsp "${asked[@]}" -respin response.der -CAfile ca.pem
        printed 'Response verify OK'
        printed 'good.pem: good'
        printed 'bad.pem: revoked'
        agrees ocsp "${asked[@]}" -respin response.der -CAfile ca.pem
        printed 'Response verify OK'
    done
}

# Time stamps are PKCS #7, for which OpenSSL's core signs by no GOST key of a provider: gost-engine does, or an RSA key.
stamps() {
    local signer
    local reply=(ts -reply -section tsaown -queryfile query.tsq -chain ca.pem -out reply.tsr)
    by 0 ts -query -data ../message -$hash -cert -out query.tsq
    by 0 ts -query -in query.tsq -text
    with 0 "${reply[@]}" -signer stamp.pem -inkey stamp.key
    by 1 ts -verify -queryfile query.tsq -in reply.tsr -CAfile ca.pem
    printed 'Error during signature generation'
    for signer in stamp rsa; do
        if [ $signer = stamp ]; then
            cat "$gost" ca.cnf > engine.cnf
            OPENSSL_CONF=engine.cnf expect 0 openssl "${reply[@]}" -signer stamp.pem -inkey stamp.key
        else
            with 0 "${reply[@]}" -signer rsa.pem -inkey rsa.key -sha256
        fi
        by 0 ts -verify -queryfile query.tsq -in reply.tsr -CAfile ca.pem
        agrees ts -verify -queryfile query.tsq -in reply.tsr -CAfile ca.pem
        by 0 ts -verify -data ../message -in reply.tsr -CAfile ca.pem
        by 1 ts -verify -data ../other -in reply.tsr -CAfile ca.pem
    done
}

@test "certificates, chains and revocation lists of a key of 256 bits" { of 256 lists; }
@test "OCSP, signed by a key of 256 bits and by its responder's" { of 256 ocsp; }
@test "time stamps are asked for, verified, and signed by RSA, with a key of 256 bits" { of 256 stamps; }

@test "certificates, chains and revocation lists of a key of 512 bits" { of 512 lists; }
@test "OCSP, signed by a key of 512 bits and by its responder's" { of 512 ocsp; }
@test "time stamps are asked for, verified, and signed by RSA, with a key of 512 bits" { of 512 stamps; }
