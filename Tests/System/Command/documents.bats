#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command "kanal" signs XML documents, and verifies those that others sign. For keys of RSA and P-256, these are xmlsec1,
# signxml and Java; for Web Services Security, WSS4J and zeep; for all kinds of keys, with GOST, documents.py by lxml and OpenSSL
# with the engine gost. Java's StAX computes the form of SMEV 3.
# bats file_tags=command
load ../common
load documents

@test "documents.py verifies what kanal signs, in each form, by each kind of key, with both kinds of names" {
    local kind form files
    for kind in "${kinds[@]}"; do
        files=()
        for form in "${forms[@]}"; do
            ours "$form" "$kind" "$form.xml"
            files+=("$form.xml")
        done
        if [[ $kind == gost* ]]; then
            for form in exclusive xades; do ours $form "$kind" $form-w3c.xml --names w3c; done
            refute grep -q "$cryptopro" exclusive-w3c.xml xades-w3c.xml
            files+=(exclusive-w3c.xml xades-w3c.xml)
        fi
        accepted "Token $kind" "${files[@]}"
        by_python verify "${files[@]}"
        covers_the_same
    done
}

@test "kanal verifies what documents.py signs, in each form, by each kind of key, with both kinds of names" {
    local kind form files results
    for kind in "${kinds[@]}"; do
        files=() results=()
        for form in "$kind"-*.template; do
            files+=("$form" "${form%.template}.xml")
            results+=("${form%.template}.xml")
        done
        by_python sign "file-$kind.key" "${files[@]}"
        accepted "File $kind" "${results[@]}"
        printed "signed by CN=File $kind, who says it was at 2026-11-29T10:00:00Z$"
        by_python verify "${results[@]}"
        covers_the_same
    done
}

@test "xmlsec1 verifies what kanal signs by keys of RSA and P-256, in each form that it knows" {
    local kind form
    for kind in rsa2048 p256; do
        for form in exclusive inclusive parts parts-inclusive xades services; do
            ours $form $kind ours.xml
            expect 0 xmlsec1 --verify --trusted-pem common.pem --pubkey-cert-pem $kind.pem "${identifiers[@]}" ours.xml
            printed '^OK$'
        done
    done
}

@test "kanal verifies what xmlsec1 signs by keys of RSA and P-256, in each form that it knows" {
    local kind form files
    for kind in rsa2048 p256; do
        files=()
        for form in exclusive inclusive parts parts-inclusive xades services; do
            expect 0 xmlsec1 --sign --privkey-pem "file-$kind.key,file-$kind.pem" "${identifiers[@]}" \
                --output "xmlsec-$form.xml" $kind-$form.template
            files+=("xmlsec-$form.xml")
        done
        accepted "File $kind" "${files[@]}"
    done
}

@test "signxml verifies what kanal signs by keys of RSA and P-256" {
    local kind form
    for kind in rsa2048 p256; do
        for form in exclusive inclusive parts; do
            # shellcheck disable=SC2086
            as_user 0 sign --xml --key $kind ${option[$form]} simple.xml --output ours-$form.xml --overwrite
        done
        as_user 0 sign --xml --key $kind --profile xades simple.xml --output ours-xades.xml --overwrite
        by_python signxml-verify common.pem ours-{exclusive,inclusive,parts,xades}.xml
        [ "$(grep -c ' good ' output)" = 4 ] || fail "$(cat output)"
    done
}

# For the properties of XAdES, it computes the form of the signature where the standard has the inclusive one.
@test "kanal verifies what signxml signs by keys of RSA and P-256" {
    local kind
    for kind in rsa2048 p256; do
        by_python signxml-sign file-$kind.key file-$kind.pem simple.xml
        accepted "File $kind" signxml-{exclusive,inclusive,parts,xades}.xml
        printed 'who says it was at'
    done
}

@test "Java verifies what kanal signs by keys of RSA and P-256" {
    local kind form
    for kind in rsa2048 p256; do
        for form in exclusive inclusive parts parts-inclusive services xades; do ours $form $kind ours-$form.xml; done
        by_java verify ours-{exclusive,inclusive,parts,parts-inclusive,services,xades}.xml
        [ "$(grep -c ' good$' output)" = 6 ] || fail "$(cat output)"
    done
}

@test "kanal verifies what Java signs by keys of RSA and P-256" {
    local kind
    for kind in rsa2048 p256; do
        openssl pkcs8 -topk8 -nocrypt -in file-$kind.key -outform DER -out key.der
        by_java sign key.der file-$kind.pem order.xml
        accepted "File $kind" java-{exclusive,inclusive,parts}.xml
    done
}

@test "WSS4J and zeep verify what kanal signs in envelopes with a security header, without one, and without a header" {
    local file files=()
    for file in envelope insecure headless; do
        as_user 0 sign --xml --profile wss --key rsa2048 --output ours-$file.xml --overwrite $file.xml
        files+=("ours-$file.xml")
    done
    ours services rsa2048 ours-services.xml
    by_wss4j verify common.pem "${files[@]}" ours-services.xml
    [ "$(grep -c ' covers /soap:Envelope/soap:Body$' output)" = 4 ] || fail "$(cat output)"
    printed '^ours-services.xml covers .*Timestamp$'
    by_python zeep-verify rsa2048.pem "${files[@]}" ours-services.xml
    [ "$(grep -c ' good$' output)" = 4 ] || fail "$(cat output)"
}

@test "documents.py verifies what kanal signs in envelopes without a security header, and without a header" {
    local file
    for file in insecure headless; do
        as_user 0 sign --xml --profile wss --key gost256 --output ours-$file.xml --overwrite $file.xml
        by_python verify ours-$file.xml
        printed "covers /{$soap}Envelope/{$soap}Body with the Id body"
        kanal_exits 0 verify --xml --ca roots.pem ours-$file.xml --element "/{$soap}Envelope/{$soap}Body"
    done
}

@test "kanal verifies what WSS4J and zeep sign" {
    expect 0 openssl pkcs12 -export -inkey file-rsa2048.key -in file-rsa2048.pem -name signer -passout pass:secret -out signer.p12
    by_wss4j sign signer.p12 headless.xml wss4j.xml
    accepted 'File rsa2048' wss4j.xml
    printed 'covers.*Body'
    printed 'covers.*Timestamp'
    by_python zeep-sign file-rsa2048.key file-rsa2048.pem envelope.xml zeep.xml
    accepted 'File rsa2048' zeep.xml
}

@test "each peer notices a change" {
    local services=wrong-services.xml order=wrong-order.xml
    ours exclusive rsa2048 ours.xml
    sed 's/шесть/семь/' ours.xml > $order
    ours services rsa2048 ours.xml
    sed 's/Иван/Eve/' ours.xml > $services
    expect 1 "$python" "$root/Tests/System/Command/documents.py" verify $order
    expect 1 "$python" "$root/Tests/System/Command/documents.py" verify $services
    expect 1 "$python" "$root/Tests/System/Command/documents.py" signxml-verify common.pem $order
    expect 1 "$python" "$root/Tests/System/Command/documents.py" zeep-verify rsa2048.pem $services
    expect 1 xmlsec1 --verify --trusted-pem common.pem --pubkey-cert-pem rsa2048.pem $order
    expect 1 java -XX:TieredStopAtLevel=1 -cp "$jars" Services verify common.pem $services
    by_java verify $order $services
    [ "$(grep -c ' wrong$' output)" = 2 ] || fail "$(cat output)"
    ours xades gost256 ours.xml
    sed 's/\(<ds:SignatureValue>\)..../\1AAAA/' ours.xml > wrong.xml
    expect 1 "$python" "$root/Tests/System/Command/documents.py" verify wrong.xml
    printed ': wrong$'
}

# ---- SMEV 3 ----

# The packages of PyPI leave values of attributes unescaped, and drop texts of blanks of Unicode.
@test "kanal signs for SMEV 3 what Java's StAX makes of a document" {
    by_python smev-cases
    as_user 0 sign --xml --profile smev --key rsa2048 --overwrite case-*[a-z].xml
    expect 0 java -XX:TieredStopAtLevel=1 -cp . SMEV case-*.c14n
    by_python smev-compare
    printed '^kanal all 20$'
    printed '^smev-transform comments nested prefixes order order-of-names language instructions counter unused cyrillic'
    printed '^smev3Transform nested prefixes order order-of-names language counter unused long$'
    kanal_exits 0 verify --xml --ca roots.pem case-*.signed.xml
}

# ---- Bytes ----

# signed_bytes KEY OPTION...: signs the documents of the array "names", which all accept with no other bytes around the signature.
signed_bytes() {
    as_user 0 sign --xml --overwrite --key "$1" "${@:2}" "${names[@]/%/.xml}"
    local files=("${names[@]/%/.xml.signed.xml}") name
    accepted "Token $1" "${files[@]}"
    by_python verify "${files[@]}"
    by_python cut "${files[@]}"
    for name in "${names[@]}"; do cmp "$name.xml.signed.xml.cut" "$name.xml" || fail "other bytes outside the signature"; done
}

@test "the bytes outside a signature stay: of windows-1251, behind a byte order mark, and with lines of Windows" {
    local names=(simple marked cp1251 koi8 order)
    printf '\xef\xbb\xbf' | cat - simple.xml > marked.xml
    sed '1i <?xml version="1.0" encoding="windows-1251" standalone='"'yes'?>" simple.xml | sed 's/$/\r/' \
        | iconv -f UTF-8 -t CP1251 > cp1251.xml
    sed '1i <?xml version="1.0" encoding="KOI8-R"?>' simple.xml | iconv -f UTF-8 -t KOI8-R > koi8.xml
    signed_bytes rsa2048
    signed_bytes rsa2048 --profile xades
    signed_bytes gost256 --canonical inclusive --place '#first'
}

@test "an empty element gets a signature, however it is written" {
    local number=0 name names=()
    while read -r before after; do
        name=empty$((++number))
        names+=("$name")
        printf '<?a b?><a xmlns="urn:a"><!-- <e/> -->%b<f/></a>\n' "$before" > $name.xml
        printf '<?a b?><a xmlns="urn:a"><!-- <e/> -->%b<f/></a>\n' "$after" > $name.expected
    done << 'END'
<e/>             <e></e>
<e\0040/>        <e\0040></e>
<e\nb='/>'\n/>   <e\nb='/>'\n></e>
<e\0040b=">"/>   <e\0040b=">"></e>
<e></e>          <e></e>
<e></e\n>        <e></e\n>
END
    as_user 0 sign --xml --key gost256 --place '{urn:a}e' "${names[@]/%/.xml}"
    accepted 'Token gost256' "${names[@]/%/.xml.signed.xml}"
    by_python verify "${names[@]/%/.xml.signed.xml}"
    by_python cut "${names[@]/%/.xml.signed.xml}"
    for name in "${names[@]}"; do
        cmp "$name.xml.signed.xml.cut" "$name.expected" || fail "other bytes outside the signature"
    done
}
