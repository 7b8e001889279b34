#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command "kanal" with keys, certificates and signatures, on a token without a channel and on one with it, compared with
# OpenSSL. By night, files of two GiB are signed in little memory.
# bats file_tags=command
load ../common
load command

export SECRET=secret

setup_file() {
    prepare
    start_pcscd
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout root.key -out root.pem -days 30 \
        -subj /CN=Root -addext basicConstraints=CA:true
    mkfifo pipe
}

dgst() { expect 0 openssl dgst "$@"; }
cms() { expect 0 openssl cms -verify -cades -binary -inform DER -CAfile root.pem -purpose any -out content "$@"; }

# flip FILE FOLDER [SUFFIX CONTENT]: copies of a file, FOLDER/NUMBER and the suffix, with one bit changed, another one in
# each byte. Beside each is the content, without the suffix.
flip() {
    rm -rf "$2"
    mkdir "$2"
    python3 - "$@" << 'END'
import os, sys
octets = open(sys.argv[1], "rb").read()
for index in range(len(octets)):
    changed = bytearray(octets)
    changed[index] ^= 1 << index % 8
    open(f"{sys.argv[2]}/{index}" + "".join(sys.argv[3:4]), "wb").write(changed)
    if sys.argv[4:]:
        os.link(sys.argv[4], f"{sys.argv[2]}/{index}")
END
}
# Whether each file was refused, and this number of files or more.
all_refused() {
    python3 - "$1" << 'END' || fail "changed files are accepted"
import json, sys
files = json.load(open("output"))["files"]
accepted = [file["file"] for file in files if file["isValid"]]
if accepted or len(files) < int(sys.argv[1]):
    sys.exit(f"accepted of {len(files)}: {accepted}")
END
}

# type_to STATUS WORD...: the command on a terminal. Standard input has a line for each question: its end, a tab, and
# the answer. The output is in "screen".
type_to() {
    python3 "$root/Tests/System/Command/typist.py" "$1" "$kanal" "${@:2}" 2> output || fail "kanal ${*:2}: $(cat output)"
}

issue() { expect 0 openssl x509 -req -in "$1" -CA root.pem -CAkey root.key -CAcreateserial -out "$2" -days 30; }

# with IDENTITY: a token of this identity is in the reader, with keys of four kinds, and certificates for two.
with() {
    head -c 1000 /dev/urandom > message
    echo second > message2
    on "$1" true
    as_user 0 key export gost256 --overwrite --output gost256.pub
    as_user 0 key export p256 --overwrite --output p256.pub
    kanal_exits 0 cert export gost256 --overwrite --output certificate.pem
}

furnish() {
    local kind
    as_user 0 list --json
    json 'd["keys"] == d["certificates"] == d["data"] == d["others"] == []'
    for kind in gost256 gost512 rsa1024 p256; do as_user 0 key generate --kind $kind --label $kind --json; done
    json 'd["keys"] == [{"id": "04", "kind": "p256", "label": "p256",
        "uri": "pkcs11:serial='"$serial"';id=%04;object=p256;type=private"}]'
    as_user 1 sign --overwrite --cms message
    told "kanal cert request"
    as_user 0 cert request --key gost256 --subject 'CN=Анна,O=Company\, Ltd' --subject C=RU --overwrite --output request.pem
    issue request.pem certificate.pem
    as_user 0 cert import certificate.pem --json
    json 'd["certificates"][0]["id"] == "01" and d["certificates"][0]["label"] == "gost256"'
    json 'd["certificates"][0]["hasPrivateKey"] and d["certificates"][0]["issuer"] == "CN=Root"'
    as_user 0 cert import root.pem
    printed '^label:  *Root$'
    printed '^key on the token: no$'
    as_user 0 cert request --key p256 --subject CN=Bob
    cp output request.pem
    issue request.pem bob.pem
    as_user 0 cert import bob.pem --label Bob
}

keys() {
    as_user 0 list
    printed '^gost512  02  GOST R 34.10-2012, 512 bits  no certificate$'
    kanal_exits 0 list --public
    printed 'public key, RSA, 1024 bits$'
    kanal_exits 0 list
    told "left out: there is no terminal to ask for the PIN on"
    as_user 1 key generate --id 01
    told "with the id 01 already"
    as_user 2 key generate --id 1
    as_user 2 key generate --kind gost128
    as_user 1 sign --overwrite message --key nobody
    told "no key on the token is called nobody: there is gost256 (01), gost512 (02)"
    as_user 1 sign --overwrite message
    told "several keys on the token: name one by --key of gost256 (01)"
    as_user 2 sign --overwrite message --key 01 --algorithm ecdsa-sha256
    as_user 2 sign --overwrite --detached message
}

# signature KEY HASH OPTION...: signs with a key; OpenSSL verifies, and Kanal verifies OpenSSL's signature.
signature() {
    local name=$1 hash=$2 algorithm=${3:+--algorithm $3}
    as_user 0 key export "$name" --overwrite --output "$name.pub"
    # shellcheck disable=SC2086
    as_user 0 sign --overwrite message --key "$name" $algorithm --json
    json 'd["files"] == [{"file": "message", "signature": "message.sig"}]'
    dgst -"$hash" -verify "$name.pub" "${@:4}" -signature message.sig message
    # shellcheck disable=SC2086
    kanal_exits 0 verify --public-key "$name.pub" $algorithm message
    printed '^message: good$'
    flip message.sig changed .sig message
    # shellcheck disable=SC2086
    kanal_exits 1 verify --public-key "$name.pub" $algorithm --json changed/*[0-9]
    all_refused 64
}

signatures() {
    signature gost256 md_gost12_256
    signature gost512 md_gost12_512
    signature rsa1024 sha256
    signature rsa1024 sha512 rsa-pkcs1-sha512
    signature rsa1024 sha256 rsa-pss-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest
    signature p256 sha384 ecdsa-sha384
    signature p256 sha256
    as_user 0 verify --key p256 message
    as_user 1 verify --key gost256 message
    as_user 0 key export 04 --der --overwrite --output p256.der
    kanal_exits 0 verify --public-key p256.der message
    printf x >> message.sig
    kanal_exits 1 verify --public-key p256.pub message
    kanal_exits 1 verify --public-key message message
    told "message has no public key in it that can be read"

    expect 0 openssl genpkey -algorithm gost2012_512 -pkeyopt paramset:A -out other.key
    expect 0 openssl pkey -in other.key -pubout -out other.pub
    dgst -md_gost12_512 -sign other.key -out message.sig message
    kanal_exits 0 verify --public-key other.pub message
    printf . >> message
    kanal_exits 1 verify --public-key other.pub message
    printed '^message: not accepted$'
    told '^kanal: message: the signature is wrong$'
}

several() {
    as_user 1 sign --overwrite message missing message2 --key 01 --json
    json '[file["file"] for file in d["files"]] == ["message", "missing", "message2"]'
    json '[file.get("signature") for file in d["files"]] == ["message.sig", None, "message2.sig"]'
    told '^kanal: missing: No such file or directory$'
    told 'signed 2 of 3 files; without a signature: missing$'
    dgst -md_gost12_256 -verify gost256.pub -signature message2.sig message2
    "$kanal" sign - --key 01 "${user[@]}" < message > piped
    dgst -md_gost12_256 -verify gost256.pub -signature piped message
    kanal_exits 0 verify --public-key gost256.pub message message2
    kanal_exits 1 verify --public-key gost256.pub message missing message2
}

certificates() {
    as_user 0 cert request --key gost256 --subject 'CN=Анна,O=Company\, Ltd' --subject C=RU --extension \
        keyUsage=critical,digitalSignature --overwrite --output request.pem
    expect 0 openssl req -in request.pem -noout -verify -subject -nameopt utf8,sep_comma_plus,space_eq
    printed 'C = RU,O = Company, Ltd,CN = Анна'
    expect 0 openssl req -in request.pem -noout -text
    printed 'Digital Signature'
    as_user 0 cert request --key 01 --subject CN=x --der --overwrite --output request.der
    expect 0 openssl req -in request.der -inform DER -noout -verify
    for subject in '' CN CN= '=x' 'CN=a+O=b' 'CN=a\'; do as_user 2 cert request --key 01 --subject "$subject"; done
    as_user 1 cert import certificate.pem
    told "on the token already"
    as_user 1 cert import message
    kanal_exits 0 cert export gost256
    cmp output certificate.pem || fail "another certificate was exported"
    kanal_exits 0 cert export 01 --der --overwrite --output exported
    openssl x509 -in certificate.pem -outform DER | cmp - exported || fail "another certificate was exported"
    kanal_exits 0 cert show gost256
    printed '^subject:  *C=RU, O=Company\\, Ltd, CN=Анна$'
    printed "^Streebog-256: $(openssl dgst -md_gost12_256 -r exported | cut -d' ' -f1)$"
    kanal_exits 0 cert show --json
    json '[certificate["label"] for certificate in d["certificates"]] == ["gost256", "Root", "Bob"]'
    as_user 0 sign --overwrite message --key 01
    kanal_exits 0 verify --certificate certificate.pem message
    as_user 0 list
    printed '^Bob  *04  *CN=Bob '
}

messages() {
    local key
    for key in gost256 Bob; do
        as_user 0 sign --overwrite --cms message --key $key
        printed '^message.p7m$'
        cms -in message.p7m
        cmp content message || fail "OpenSSL reads another content"
        as_user 0 sign --overwrite --cms --detached message --key $key --with Root
        printed '^message.p7s$'
        cms -in message.p7s -content message
        kanal_exits 0 verify --cms --ca root.pem message.p7m message.p7s
        printed '^message.p7s: good$'
        kanal_exits 0 verify --cms --ca root.pem message.p7m --overwrite --output content
        cmp content message || fail "another content is read"
        "$kanal" sign --cms - --key $key "${user[@]}" < message > piped.p7m
        cms -in piped.p7m
        kanal_exits 0 verify --cms --ca root.pem --json piped.p7m
        json 'd["files"][0]["isValid"] and d["files"][0]["signers"][0]["issuer"] == "CN=Root"'
        as_user 0 sign --overwrite --cms --detached message2 --key $key
        flip message2.p7s changed .p7s message2
        kanal_exits 1 verify --cms --ca root.pem --json changed/*.p7s
        all_refused 400
        flip message2 changed
        for file in changed/*; do kanal_exits 1 verify --cms --ca root.pem --content "$file" message2.p7s; done
    done
    flip message.p7m changed
    kanal_exits 1 verify --cms --ca root.pem --json changed/*
    all_refused 1400
    rm -f content
    kanal_exits 1 verify --cms --ca root.pem changed/500 --output content
    [ ! -e content ] || fail "the content of a message that is refused is left"
    head -c -1 message.p7m > cut.p7m
    kanal_exits 1 verify --cms --ca root.pem cut.p7m
    kanal_exits 12 verify --cms --ca certificate.pem message.p7m
    told "CN=Root, the issuer of the certificate of .*, is not among the trusted"
    kanal_exits 0 verify --signature-only message.p7m
    printed '^message.p7m: good (trust was not asked for)$'
    kanal_exits 2 verify --cms message.p7m
    told "whose certificates are trusted"
}

their_messages() {
    for kind in 'gost2012_256 -pkeyopt paramset:A' 'ec -pkeyopt ec_paramgen_curve:prime256v1' rsa:2048; do
        # shellcheck disable=SC2086
        expect 0 openssl req -newkey $kind -nodes -keyout key -out request -subj /CN=Signer
        issue request signer.pem
        sign=(openssl cms -sign -cades -binary -in message -signer signer.pem -inkey key -out)
        [[ $kind != gost* ]] || sign=("${sign[@]:0:4}" -md md_gost12_256 "${sign[@]:4}")
        expect 0 "${sign[@]}" beside.p7s -outform DER
        cp message beside
        expect 0 "${sign[@]}" inside.p7m -outform DER -nodetach
        expect 0 "${sign[@]}" pieces.p7m -outform DER -nodetach -stream
        expect 0 "${sign[@]}" text.pem -outform PEM -nodetach
        kanal_exits 0 verify --cms --ca root.pem beside.p7s inside.p7m pieces.p7m text.pem
        printed 'signed by CN=Signer, who says it was at 20'
        printf x >> beside
        kanal_exits 1 verify --cms --ca root.pem beside.p7s
        told "the content differs from what was signed"
    done
}

decoded() { tr -- '-_' '+/' | awk '{ while (length % 4) $0 = $0 "="; print }' | openssl base64 -d -A; }

esia() {
    printf 'CLIENTopenid2026.11.22 12:00:00 +0300' > string
    as_user 0 sign --esia string --key 01
    [ "$(wc -c < output)" = 87 ] || fail "not 86 characters: $(cat output)"
    decoded < output > string.sig
    dgst -md_gost12_256 -verify gost256.pub -signature string.sig string
    as_user 0 sign --esia --cms string --key 01 --json
    json 'set(d["clientSecret"]) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")'
    python3 -c 'import json; print(json.load(open("output"))["clientSecret"])' | decoded > string.p7s
    cms -in string.p7s -content string
    echo >> string
    as_user 1 sign --esia string --key 01
    told "line break"
}

# A key and a certificate called "file".
make_file() {
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout key -out own.pem -days 30 -subj /CN=File
    expect 0 openssl pkcs12 -export -inkey key -in own.pem -name file -passout env:SECRET -out file.pfx \
        -keypbe gost89 -certpbe gost89 -macalg md_gost12_512
}

pfx() {
    make_file
    as_user 2 key import file.pfx
    told "name the secret's source with --password-source"
    PASSWORD=wrong as_user 4 key import file.pfx --password-source env:PASSWORD
    told "the password of file.pfx is wrong"
    as_user 1 key import message --password-source env:SECRET
    as_user 0 key import file.pfx --password-source env:SECRET --json
    json 'd["keys"][0]["kind"] == "gost256" and d["keys"][0]["label"] == "file"'
    as_user 0 sign --overwrite message --key file
    kanal_exits 0 verify --certificate own.pem message
    as_user 0 key delete file --yes
    as_user 0 cert delete file --yes
    as_user 0 key import file.pfx --password-source env:SECRET --agree
    expect 0 openssl cms -encrypt -gost89 -binary -in message -outform der -out enveloped own.pem
    OPENSSL_CONF=/dev/null OPENSSL_MODULES=${module%/*}/ossl-modules expect 0 openssl cms -decrypt -provider kanal -provider default \
        -inkey "pkcs11:object=file;type=private?pin-value=$pin&module-path=$module" -recip own.pem -inform der -in enveloped \
        -out opened
    cmp message opened || fail "the message was opened to something else"
    as_user 0 key delete file --yes
    as_user 0 cert delete file --yes
}

deletion() {
    make_file
    as_user 0 key import file.pfx --password-source env:SECRET
    as_user 2 key delete file
    told "will be lost for ever"
    told "confirm with --yes"
    as_user 1 key delete nobody --yes
    as_user 0 key delete file --yes --json
    json 'd["label"] == "file"'
    as_user 2 cert delete file
    type_to 6 cert delete file "${user[@]}" << 'END'
Type yes to go on: 	no
END
    grep -q 'of CN=File will be lost' screen || fail "not told what is lost: $(cat screen)"
    type_to 4 cert delete file << 'END'
PIN of the token	1111
PIN of the token	2222
PIN of the token	3333
END
    grep -q 'The PIN is wrong. 9 tries are left.' screen || fail "no tries: $(cat screen)"
    ! grep -q 1111 screen || fail "a PIN is shown: $(cat screen)"
    type_to 0 cert delete file << END
PIN of the token	1111
PIN of the token	$pin
Type yes to go on: 	yex\\x7fs
END
    type_to 6 key delete p256 << 'END'
Type yes to go on: 	yes
PIN of the token	\x03
END
    as_user 0 list
    ! grep -q file output || fail "something is left: $(cat output)"
}

labels() {
    local label=$'red \e[31m\nnext \u202eright'
    as_user 0 key generate --label "$label"
    as_user 0 list
    ! grep -q -e $'\e' -e $'\u202e' -e ^next output || fail "a label is printed raw: $(cat -v output)"
    printed 'red \\u{1b}\[31m\\u{a}next \\u{202e}right'
    as_user 0 list --json
    json 'any(key["label"] == "red \x1b[31m\nnext \u202eright" for key in d["keys"])'
    as_user 0 key delete "$label" --yes
}

refusals() {
    PIN=87654321 as_user 4 sign --overwrite message --key 01
    as_user 0 list
    as_user 3 sign --overwrite message --token nobody
    as_user 2 sign
    as_user 2 sign --overwrite a b --output c
    as_user 1 sign --overwrite . --key 01
    rm -f message.sig
    ln -s /dev/full message.sig
    as_user 1 sign --overwrite message --key 01
    told 'message.sig: No space left on device'
    rm message.sig
    local status=0
    { "$kanal" list "${user[@]}" 2> messages || echo $? > status; } | true
    [ "$(cat status)" = 1 ] && [ ! -s messages ] || fail "a closed pipe: $(cat status messages)"
    mkdir -p closed
    chmod 500 closed
    [ "$(id -u)" = 0 ] || as_user 1 sign --overwrite message --key 01 --output closed/message.sig
    rmdir closed
    as_user 1 sign --overwrite message --key 01 --output missing/message.sig

    # Ctrl-C while it waits for bytes.
    rm -f signature*
    local process
    launch "$kanal" sign --overwrite pipe --key 01 --output signature "${user[@]}" > output 2> messages
    process=$launched
    exec 9> pipe
    wait_until sh -c 'ls signature.*.part'
    kill -INT $process
    wait $process || status=$?
    exec 9>&-
    [ $status = 6 ] || fail "exit status $status after Ctrl-C: $(cat messages)"
    [ -z "$(ls signature* 2> /dev/null)" ] || fail "a file is left: $(ls)"
}

many() {
    local octets files=() number
    detach
    rm -f trace
    attach "$identity" "$identity" --trace "$work/trace"
    for number in {1..100}; do
        echo $number > file$number
        files+=("file$number")
    done
    as_user 0 sign --overwrite "${files[@]:0:1}" --key 01
    local once
    once=$(grep -c '^>' trace)
    octets=$(stat -c %s trace)
    as_user 0 sign --overwrite "${files[@]}" --key 01
    tail -c +$((octets + 1)) trace > hundred
    kanal_exits 0 verify --public-key gost256.pub "${files[@]}"
    [ "$(grep -c good output)" = 100 ] || fail "not all signatures are good: $(cat output)"
    # Files are verified side by side; results come in the order of the files.
    for number in 1 2 50 99 100; do
        echo changed > file$number
        kanal_exits 1 verify --public-key gost256.pub "${files[@]}"
        [ "$(cut -d : -f 1 output | paste -sd ' ')" = "${files[*]}" ] || fail "another order: $(cat output)"
        [ "$(grep -v ': good$' output)" = "file$number: not accepted" ] || fail "another file is refused: $(cat output)"
        told "accepted 99 of 100 files; not accepted: file$number"
        echo $number > file$number
    done
    if [ "$identity" = bt ]; then
        # In the channel a file needs one command; the login is among the commands before.
        local commands
        commands=$(grep -c '^>' hundred)
        [ "$commands" -le $((once + 101)) ] || fail "$commands commands for 100 files, $once for one"
        [ "$(grep -c '^> ..20' hundred)" = 1 ] || fail "more than one login: $(grep '^> ..20' hundred)"
        as_user 0 sign --overwrite --cms "${files[@]}" --key 01
    fi
}

# in_little_memory WORD...: runs the command; it may take 64 MiB.
in_little_memory() {
    expect 0 python3 -c 'import resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"{time.monotonic() - start:6.1f} s, {memory} MiB")
sys.exit(status if memory <= 64 else 100)' "$kanal" "$@"
    printf '    %-8s %-10s %s\n' "$1" "$2" "$(cat output)"
}

large() {
    local size
    size=$(amount 4 2048)
    truncate -s "$size"M large
    printf 'the end' >> large
    in_little_memory sign --overwrite large --key 01 "${user[@]}"
    in_little_memory verify large --public-key gost256.pub
    dgst -md_gost12_256 -verify gost256.pub -signature large.sig large
    in_little_memory sign --overwrite --cms --detached large --key 01 "${user[@]}"
    in_little_memory verify --cms large.p7s --ca root.pem
    in_little_memory sign --overwrite --cms large --key 01 "${user[@]}"
    in_little_memory verify --cms large.p7m --ca root.pem --overwrite --output content
    cmp content large || fail "another content is read"
    rm -f large* content
}

absence() {
    local process status=0
    launch "$kanal" sign --overwrite pipe --key 01 --output away.sig "${user[@]}" > output 2> messages
    process=$launched
    exec 9> pipe
    wait_until sh -c 'ls away.sig.*.part'
    if [ "$identity" = bt ]; then
        kill -USR1 "$token"
        wait_until sh -c '! ./readers | grep -q "^card .*Virtual PCD 00 00"'
        cat message >&9
        exec 9>&-
        kill -USR2 "$token"
        wait $process || fail "exit status $? after a return: $(cat messages)"
        dgst -md_gost12_256 -verify gost256.pub -signature away.sig message
    else
        detach
        identity=
        keep identity
        exec 9>&-
        wait $process || status=$?
        [ $status = 3 ] || fail "exit status $status when the token is gone: $(cat messages)"
        [ -z "$(ls away* 2> /dev/null)" ] || fail "a file is left: $(ls)"
        kanal_exits 3 list
        told "there is no token"
    fi
}

@test "usb: keys are listed, and named where several are there" { with usb; keys; }
@test "usb: OpenSSL verifies signatures of every kind, and the other way round; a changed bit is refused" { with usb; signatures; }
@test "usb: one file of many does not hold up the others" { with usb; several; }
@test "usb: OpenSSL issues what is requested; it is imported under the key's id, and exported" { with usb; certificates; }
@test "usb: OpenSSL verifies signed messages by -cades; a changed bit anywhere is refused" { with usb; messages; }
@test "usb: messages of OpenSSL are verified" { with usb; their_messages; }
@test "usb: strings for ESIA are signed" { with usb; esia; }
@test "usb: the keys of a PFX file sign, and open messages if they may agree" { with usb; pfx; }
@test "usb: what is deleted is told and confirmed" { with usb; deletion; }
@test "usb: labels do not reach the terminal raw, and JSON stays valid" { with usb; labels; }
@test "usb: refusals have their exit statuses, and leave no files" { with usb; refusals; }
@test "usb: 100 files are signed under one login" { with usb; many; }
@test "usb: large files are signed and verified in little memory" { with usb; large; }
@test "usb: work ends when the token is gone" { with usb; absence; }

@test "bt: keys are listed, and named where several are there" { with bt; keys; }
@test "bt: OpenSSL verifies signatures of every kind, and the other way round; a changed bit is refused" { with bt; signatures; }
@test "bt: one file of many does not hold up the others" { with bt; several; }
@test "bt: OpenSSL issues what is requested; it is imported under the key's id, and exported" { with bt; certificates; }
@test "bt: OpenSSL verifies signed messages by -cades; a changed bit anywhere is refused" { with bt; messages; }
@test "bt: messages of OpenSSL are verified" { with bt; their_messages; }
@test "bt: strings for ESIA are signed" { with bt; esia; }
@test "bt: the keys of a PFX file sign, and open messages if they may agree" { with bt; pfx; }
@test "bt: what is deleted is told and confirmed" { with bt; deletion; }
@test "bt: labels do not reach the terminal raw, and JSON stays valid" { with bt; labels; }
@test "bt: refusals have their exit statuses, and leave no files" { with bt; refusals; }
@test "bt: 100 files are signed under one login" { with bt; many; }
@test "bt: large files are signed and verified in little memory" { with bt; large; }
@test "bt: work goes on when the token is back" { with bt; absence; }
