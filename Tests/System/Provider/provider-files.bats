#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# GOST keys of files and in memory by the provider "kanal", without a token: PKCS #8 in all forms, under passwords, and PFX;
# published vectors, and gost-engine, which reads what the provider writes, and the other way round. With ROOT=DIRECTORY by
# another version of OpenSSL.
# bats file_tags=share
load ../common
load provider

kinds="gost2012_256:TCA:md_gost12_256 gost2012_256:B:md_gost12_256 gost2012_256:TCD:md_gost12_256 gost2012_512:A:md_gost12_512
    gost2012_512:B:md_gost12_512 gost2012_512:C:md_gost12_512 gost2001:A:md_gost94 gost2001:XA:md_gost94"
prf=id-tc26-hmac-gost-3411-2012-512

setup_file() {
    prepare
    provider_settings
    head -c 1000 /dev/urandom > message
    head -c 1000 /dev/urandom > other
    python3 "$root/Tests/System/Provider/vectors.py" "$root/Tests/Vectors"
    by 0 genpkey -algorithm gost2012_256 -pkeyopt paramset:TCB -out plain.key
    by 0 req -new -x509 -key plain.key -subj /CN=PFX -days 30 -out plain.pem
}

# same FILE OTHER TEXT
same() { cmp "$1" "$2" || fail "$3"; }

@test "private keys of vectors have their public halves, and are written as they were" {
    local file
    for file in key-*.der; do
        by 0 pkey -inform der -in "$file" -pubout -outform der -out public
        same public "${file%.der}.spki" "$file has another public half"
        by 0 pkey -inform der -in "$file" -outform der -out again
        same again "$file" "$file was written in another form"
    done
    for file in form-*.der; do
        by 0 pkey -inform der -in "$file" -pubout -outform der -out public
        same public form.spki "$file is another key"
    done
}

@test "files that are not keys are refused" {
    local file
    for file in bad-*.der; do by 1 pkey -inform der -in "$file" -noout; done
}

# opens TYPE: the key in ours.key opens messages, and no other does.
opens() {
    local cipher
    for cipher in gost89 kuznyechik-ctr-acpkm magma-ctr-acpkm; do
        [ $1 != gost2001 ] || [ $cipher = gost89 ] || continue
        agrees cms -encrypt -binary -in message -outform der -out enveloped -$cipher ours.pem
        by 0 cms -decrypt -inkey ours.key -recip ours.pem -inform der -in enveloped -out opened
        same message opened "CMS: $1 $cipher was opened to something else"
        unopened theirs.key ours.pem 'the transported key.s code is wrong'
    done
    if is_since 3.2; then
        by 0 cms -sign -nodetach -inkey ours.key -signer ours.pem -in message -binary -outform der -out signed
        agrees cms -verify -inform der -in signed -CAfile ours.pem -purpose any -binary -out opened
    fi
}

# Files of both, on both sides.
@test "keys in memory on eight curves sign, agree and open messages as gost-engine's do" {
    local type set hash key ukm
    for type in $kinds; do
        IFS=: read -r type set hash <<< "$type"
        by 0 genpkey -algorithm $type -pkeyopt paramset:$set -out ours.key
        agrees genpkey -algorithm $type -pkeyopt paramset:$set -out theirs.key
        for key in ours theirs; do
            by 0 pkey -in $key.key -pubout -out $key.pub
            agrees pkey -pubin -in $key.pub -noout
            by 0 pkey -in $key.key -noout -text
            printed '^Private key: [0-9A-F]\{64,128\}$'
            by 0 dgst -$hash -sign $key.key -out signature message
            agrees dgst -$hash -verify $key.pub -signature signature message
            agrees dgst -$hash -sign $key.key -out signature message
            by 0 dgst -$hash -verify $key.pub -signature signature message
            by 1 dgst -$hash -verify $key.pub -signature signature other
        done
        by 0 req -new -x509 -key ours.key -subj "/CN=$type $set" -days 30 -out ours.pem
        agrees verify -check_ss_sig -CAfile ours.pem ours.pem
        for ukm in 0102030405060708 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f; do
            [ $type != gost2001 ] || [ ${#ukm} = 16 ] || continue
            by 0 pkeyutl -derive -inkey ours.key -peerkey theirs.pub -pkeyopt hexukm:$ukm -out secret
            agrees pkeyutl -derive -inkey theirs.key -peerkey ours.pub -pkeyopt ukmhex:$ukm -out same
            same secret same "$type $set agrees on something else with UKM $ukm"
        done
        opens $type
        by 1 pkeyutl -derive -inkey ours.key -peerkey theirs.pub -pkeyopt hexukm:01020304
        printed 'bytes; it needs 8 or 32'
    done
}

@test "keys under passwords are written and read, as gost-engine's are" {
    local cipher
    for cipher in aes-256-cbc gost89 kuznyechik-ctr-acpkm magma-ctr-acpkm; do
        by 0 pkcs8 -topk8 -in plain.key -v2 $cipher -v2prf $prf -passout pass:secret -out ours.key
        by 0 pkey -in ours.key -passin pass:secret -out again.key
        same again.key plain.key "$cipher: another key"
        by 1 pkey -in ours.key -passin pass:other -noout
        agrees pkey -in ours.key -passin pass:secret -noout
        agrees pkcs8 -topk8 -in plain.key -v2 $cipher -v2prf $prf -passout pass:secret -out theirs.key
        by 0 pkey -in theirs.key -passin pass:secret -out again.key
        same again.key plain.key "$cipher: another key from gost-engine"
    done
    for cipher in aes256 kuznyechik-ctr-acpkm; do
        by 0 pkey -in plain.key -$cipher -passout pass:secret -out ours.key
        [ "$(head -n 1 ours.key)" = "-----BEGIN ENCRYPTED PRIVATE KEY-----" ] || fail "not encrypted: $(cat ours.key)"
        agrees pkey -in ours.key -passin pass:secret -noout
        by 0 genpkey -algorithm gost2012_512 -$cipher -pass pass:secret -out ours.key
        agrees pkey -in ours.key -passin pass:secret -noout
    done
}

@test "PFX files are written and read, as gost-engine's are" {
    local cipher code side
    for cipher in aes-256-cbc gost89 kuznyechik-ctr-acpkm magma-ctr-acpkm; do
        for code in sha256 md_gost12_512; do
            for side in by agrees; do
                if [ $side = by ]; then set -- by 0; else set -- agrees; fi
                "$@" pkcs12 -export -inkey plain.key -in plain.pem -keypbe $cipher -certpbe $cipher -macalg $code \
                    -passout pass:secret -out file.p12
                by 0 pkcs12 -in file.p12 -passin pass:secret -nodes -nocerts -out with-attributes.key
                by 0 pkey -in with-attributes.key -out again.key
                same again.key plain.key "PFX by $cipher and $code: another key"
                agrees pkcs12 -in file.p12 -passin pass:secret -nodes -nocerts -out with-attributes.key
            done
            by 1 pkcs12 -in file.p12 -passin pass:other -nodes
        done
    done
}

@test "PFX files of RFC 9548 have their keys" {
    local file
    by 0 pkcs12 -in pfx-0.der -passin file:pfx-0.password -nodes
    printed 'BEGIN PRIVATE KEY'
    # Certificates and keys under Magma and Kuznyechik with codes. OpenSSL 3.0 itself reads no PKCS #8 of the second
    # version in such files, which the keys are.
    for file in pfx-1 pfx-2; do
        by "$(since_3_5)" pkcs12 -in $file.der -passin file:$file.password -nodes -nocerts
        by 0 pkcs12 -in $file.der -passin file:$file.password -nokeys
        printed 'CN = ORIGINATOR: GOST 34.10-12 512-bit\|CN=ORIGINATOR: GOST 34.10-12 512-bit'
        by 0 pkey -inform der -in $file.key -out again.key
        by 0 pkcs12 -in $file.der -passin file:$file.password -nokeys -out issued.pem
        by 0 x509 -in issued.pem -noout -pubkey
        mv output certified.pub
        by 0 pkey -in again.key -pubout -out again.pub
        same <(openssl pkey -pubin -in again.pub -noout -text_pub) <(openssl pkey -pubin -in certified.pub -noout -text_pub) \
            "$file: the key is not the certificate's"
    done
}

# The exit status of what OpenSSL can do since 3.5.
since_3_5() { if is_since 3.5; then echo 0; else echo 1; fi; }
gost_oid=2a85030701010

# changed FILE HEX HEX: the file with other bytes in place of some.
changed() {
    python3 -c 'import sys
old, new = map(bytes.fromhex, sys.argv[2:])
octets = open(sys.argv[1], "rb").read()
assert old in octets, sys.argv[1]
sys.stdout.buffer.write(octets.replace(old, new))' "$@"
}

# flipped FILE: the file with another bit in a byte near its end.
flipped() {
    python3 -c 'import sys
octets = bytearray(open(sys.argv[1], "rb").read())
octets[-5] ^= 1
sys.stdout.buffer.write(octets)' "$1"
}

# names TEXT FILE PASSWORD: pkey and storeutl refuse the file by its fault.
names() {
    by 1 pkey -inform der -in "$2" -passin "$3" -noout
    printed "$1"
    openssl_with "$work/provider.cnf" storeutl -noout -passin "$3" "$2" > output 2>&1 || true
    printed "$1"
}

encrypted() {
    by 0 pkcs8 -topk8 -in plain.key -v2 "$1" -v2prf $prf -passout pass:secret -outform der -out encrypted.der
}

@test "a damaged key in a file is refused with its fault" {
    local name text
    while IFS='|' read -r name text; do
        names "error:.*kanal.*$text" bad-$name.der pass:
    done << 'END'
curve|the curve 1.2.643.7.1.2.1.9.1 of the private key is not known
longer-curve|the curve 1.2.643.7.1.2.1.2.1 (id-tc26-gost-3410-2012-512-paramSetA) .* not one of the key's algorithm
version|an unknown version of PKCS #8
parameters|the file of the private key is damaged
behind|the file of the private key is damaged
short|a form that is not known
mask-zero|a form that is not known
zero|not a number above 0 and below the curve's order
order|not a number above 0 and below the curve's order
END
}

@test "a wrong password of a key, an algorithm that is not known, and a wrong code have errors of their own" {
    local whole=encrypted.der
    encrypted aes-256-cbc
    names 'maybe wrong password' $whole pass:other
    changed $whole 60864801650304012a 60864801650304017e > other.der
    names 'Algorithm (2.16.840.1.101.3.4.1.126 ' other.der pass:secret
    changed $whole ${gost_oid}402 ${gost_oid}47e > other.der
    names 'unsupported prf' other.der pass:secret
    # One with a code, by RFC 9337: OpenSSL 3.0 opens it, and does not know the key's version.
    whole=pfx-1-encrypted.der
    by "$(since_3_5)" pkey -inform der -in $whole -passin file:pfx-1.password -noout
    names "error:.*kanal.*the message's code is wrong" $whole pass:other
    printed 'maybe wrong password'
    { head -c -1 $whole && printf '\0'; } > other.der
    names "error:.*kanal.*the message's code is wrong" other.der file:pfx-1.password
}

@test "a change under a cipher without a code shows in the public half alone" {
    local name
    for name in gost89 kuznyechik-ctr-acpkm; do
        encrypted $name
        names unsupported encrypted.der pass:other
        flipped encrypted.der > other.der
        by 0 pkey -inform der -in other.der -passin pass:secret -pubout -out other.pub
        by 0 pkey -inform der -in encrypted.der -passin pass:secret -pubout -out own.pub
        refute cmp -s own.pub other.pub
    done
}

@test "a wrong password of a PFX file, and a cipher and hash functions that are not known, have errors of their own" {
    by 0 pkcs12 -export -inkey plain.key -in plain.pem -keypbe kuznyechik-ctr-acpkm -certpbe kuznyechik-ctr-acpkm \
        -macalg md_gost12_512 -passout pass:secret -out file.p12
    by 1 pkcs12 -in file.p12 -passin pass:other -nodes
    printed 'invalid password'
    changed file.p12 ${gost_oid}203 ${gost_oid}27e > other.p12
    by 1 pkcs12 -in other.p12 -passin pass:secret -nodes
    printed 'Algorithm (1.2.643.7.1.1.2.126 '
    changed file.p12 ${gost_oid}50201 ${gost_oid}5027e > other.p12
    by 1 pkcs12 -nomacver -in other.p12 -passin pass:secret -nodes
    printed 'Algorithm (1.2.643.7.1.1.5.2.126 '
    # Without Streebog, too, the right password fails.
    sed '/^kanal = kanal$/d' provider.cnf > without.cnf
    by_settings without.cnf 1 pkcs12 -in file.p12 -passin pass:secret -nodes
    printed 'Algorithm (GOST R 34.11-2012 with 512 bit hash '
}

by_legacy() {
    expect "$1" bash -c 'there "$@"' sh "$2" "OPENSSL_CONF=$work/provider.cnf" "OPENSSL_MODULES=$work/lib/ossl-modules" \
        openssl pkcs12 "${@:3}"
}

# The variable counts even if it is empty.
@test "LEGACY_GOST_PKCS12 changes the code of GOST, and of nothing else, for who writes and for who reads" {
    local code writes reads status
    for code in md_gost12_512 sha256; do
        for writes in KANAL_NONE= LEGACY_GOST_PKCS12=; do
            by_legacy 0 $writes -export -inkey plain.key -in plain.pem -macalg $code -passout pass:secret -out file.p12
            for reads in KANAL_NONE= LEGACY_GOST_PKCS12=; do
                status=$(if [ $code = sha256 ] || [ $reads = $writes ]; then echo 0; else echo 1; fi)
                by_legacy $status $reads -in file.p12 -passin pass:secret -nodes
                [ $status = 0 ] || printed 'invalid password'
            done
        done
    done
}

@test "revocation lists of RFC 9215 verify" {
    local file
    for file in revoked-*.der; do
        by 0 crl -inform der -in $file -CAfile ${file%.der}.pem -noout
        printed 'verify OK'
    done
}
