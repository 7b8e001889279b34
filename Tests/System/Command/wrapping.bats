#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Documents that others sign in a way of their own, or change: the command "kanal" shows what is covered, and refuses published
# attacks that move what is signed, and signatures that may mean anything. documents.py signs, wrapping.py moves.
# bats file_tags=command
load ../common
load documents

@test "a signature that covers nothing of a document is refused" {
    sed '/URI="#signed-data-container"/d' gost256-xades.template > changed.template
    by_python sign file-gost256.key changed.template properties.xml
    kanal_exits 1 verify --xml --ca roots.pem properties.xml
}

@test "a way to elements at any depth has no number" {
    ours parts gost256 parts.xml
    kanal_exits 0 verify --xml --ca roots.pem parts.xml --element '{urn:order}item'
    kanal_exits 2 verify --xml --ca roots.pem parts.xml --element '{urn:order}item[7]'
    told 'is not a path to elements'
}

@test "a second signature leaves the first one good, whoever makes it" {
    by_python sign file-gost256.key gost256-parts.template first.xml
    as_user 0 sign --xml --key gost512 --element first --place '{urn:order}signatures' first.xml --output both.xml --overwrite
    kanal_exits 0 verify --xml --ca roots.pem both.xml
    printed 'signed by CN=File gost256$'
    printed 'signed by CN=Token gost512$'
    by_python verify both.xml
    sed 's/шесть/семь/' both.xml > changed.xml
    kanal_exits 1 verify --xml --ca roots.pem changed.xml
    # The first signature alone covers the second element.
    sed 's/Id="second"/Id="second" new=""/' both.xml > changed.xml
    kanal_exits 1 verify --xml --ca roots.pem changed.xml
}

# lxml knows no "#default" there.
@test "prefixes of an exclusive form are read" {
    local form='Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"'
    local list='<InclusiveNamespaces xmlns="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList='
    sed "s|<Transform $form/>|<Transform $form>$list\"unused #default o none\"/></Transform>|
        s|<CanonicalizationMethod $form/>|<CanonicalizationMethod $form>$list\"unused\"/></CanonicalizationMethod>|" \
        rsa2048-parts.template > prefixes.template
    expect 0 xmlsec1 --sign --privkey-pem file-rsa2048.key,file-rsa2048.pem "${identifiers[@]}" --output prefixes.xml \
        prefixes.template
    accepted 'File rsa2048' prefixes.xml
    by_java verify prefixes.xml
    printed good
    sed 's/urn:unused/urn:used/' prefixes.xml > changed.xml
    kanal_exits 1 verify --xml --ca roots.pem changed.xml
    told 'the element #first was changed'
}

# changed_template FORM EXPRESSION RESULT: documents.py signs a template that sed has changed.
changed_template() {
    sed "$2" "gost256-$1.template" > changed.template
    by_python sign file-gost256.key changed.template "$3"
}

@test "properties of XAdES that name another certificate are refused, and a time is shown only if it is one" {
    local time
    changed_template xades 's|<x:CertDigest>|<x:CertDigest> |; s|<DigestValue>[^<]|<DigestValue>A|' other.xml
    kanal_exits 1 verify --xml --ca roots.pem other.xml
    told 'the signature names another certificate'
    for time in 2026-11-29T10:00:00Z 2026-11-29T13:00:00+03:00 2026-11-29T06:30:00.123-03:30; do
        changed_template xades "s|<x:SigningTime>[^<]*|<x:SigningTime>$time|" time.xml
        accepted 'File gost256' time.xml
        printed 'who says it was at 2026-11-29T10:00:00Z'
    done
    # Properties that are not signed say nothing.
    changed_template xades '/URI="#properties"/d' time.xml
    kanal_exits 0 verify --xml --ca roots.pem time.xml
    not_printed 'who says it was at'
    for time in "" 2026 2026-11-29 2026-11-29T 2026-11-29T10:00:00 2026-11-29T10:00:00+3 2026-11-29T10:00:00+03:0x 29.11.2026; do
        changed_template xades "s|<x:SigningTime>[^<]*|<x:SigningTime>$time|" time.xml
        kanal_exits 0 verify --xml --ca roots.pem time.xml
        not_printed 'who says it was at'
    done
}

# ---- Attacks ----

by_wrapping() { expect 0 "$python" "$root/Tests/System/Command/wrapping.py" "$@"; }

# refused CAUSE WORD...: the command refuses "wrapped.xml" with this cause.
refused() {
    kanal_exits 1 verify --xml --ca roots.pem wrapped.xml "${@:2}"
    told "$1"
}

# moved ATTACK PLACE PATH...: the signature stays good, and the command shows what it covers there; no reader who names the
# element that it looks for is deceived.
moved() {
    local path
    by_wrapping "$1" "$genuine" wrapped.xml
    kanal_exits 0 verify --xml --ca roots.pem wrapped.xml
    grep -qF -- "covers $2 with the Id" output || fail "$1: not shown at $2: $(cat output)"
    for path in "${@:3}"; do refused "no signature covers all of" --element "$path"; done
}

# broken ATTACK CAUSE: nobody who verifies is deceived.
broken() {
    by_wrapping "$1" "$genuine" wrapped.xml
    refused "$2"
}

@test "a body that is not the signed one is not taken for it" {
    local name genuine=envelope.signed.xml body="/{$soap}Envelope/{$soap}Body" header="/{$soap}Envelope/{$soap}Header"
    local ds='{http://www.w3.org/2000/09/xmldsig#}'
    ours services gost256 $genuine
    kanal_exits 0 verify --xml --ca roots.pem $genuine --element "$body" --element "{$soap}Body" --element '#body'
    moved body-without-identifier "$header/{urn:evil}Wrapper/{$soap}Body" "$body" "{$soap}Body"
    moved body-with-another-identifier "$header/{urn:evil}Wrapper/{$soap}Body" "$body" "{$soap}Body" '#evil'
    moved body-behind "${body}[1]" "$body" "${body}[2]" "{$soap}Body"
    moved body-before "${body}[2]" "$body" "${body}[1]" "{$soap}Body"
    moved body-in-object "$header/{$wsse}Security/${ds}Signature/${ds}Object/{$soap}Body" "$body" "{$soap}Body"
    moved body-in-security "$header/{$wsse}Security/{$soap}Body" "$body" "{$soap}Body"
    moved body-of-another-namespace "$body" "/{$soap}Envelope/{urn:evil}Body" '{urn:evil}Body'
    moved time-in-wrapper "$header/{urn:evil}Wrapper/{$wsu}Timestamp" "$header/{$wsse}Security/{$wsu}Timestamp" \
        "{$wsu}Timestamp"
    moved envelope-in-envelope "$header/{urn:evil}Wrapper$body" "$body" "{$soap}Body"
    for name in wsu:Id Id ID id xml:id; do broken "double-$name" 'several elements have the Id body'; done
    # A prefix that stands for another namespace, around what is signed.
    sed "s|$soap|http://www.w3.org/2003/05/soap-envelope|" $genuine > wrapped.xml
    refused 'the element #body was changed after it was signed'
}

@test "the published attacks XSW1 to XSW8 are refused" {
    local genuine=assertion.signed.xml response='/{urn:protocol}Response'
    local assertion="$response/{urn:assertion}Assertion"
    printf '%s' '<p:Response xmlns:p="urn:protocol" Id="response"><a:Assertion xmlns:a="urn:assertion" Id="assertion">' \
        '<a:Subject>Ivan</a:Subject></a:Assertion></p:Response>' > assertion.xml
    as_user 0 sign --xml --key gost256 --element response assertion.xml --output $genuine --overwrite
    kanal_exits 0 verify --xml --ca roots.pem $genuine --element "$response" --element $assertion
    broken xsw1 'a reference leaves out what it names'
    moved xsw2 "$response$response" "$response" $assertion '{urn:assertion}Assertion'
    as_user 0 sign --xml --key gost256 --element assertion --place '#assertion' assertion.xml --output $genuine --overwrite
    kanal_exits 0 verify --xml --ca roots.pem $genuine --element $assertion --element '{urn:assertion}Subject'
    moved xsw3 "${assertion}[2]" $assertion '{urn:assertion}Subject'
    moved xsw4 "$assertion/{urn:assertion}Assertion" $assertion '{urn:assertion}Subject'
    moved xsw5 "${assertion}[2]" $assertion '{urn:assertion}Subject'
    broken xsw6 'a reference leaves out what it names'
    broken xsw7 'several elements have the Id assertion'
    broken xsw8 'a reference leaves out what it names'
    # Detached, or of the whole document.
    as_user 0 sign --xml --key gost256 --element assertion assertion.xml --output $genuine --overwrite
    moved root-in-root "$response$assertion" "$response$response"
    refused 'the document has no element' --element $assertion
    as_user 0 sign --xml --key gost256 assertion.xml --output $genuine --overwrite
    broken root-in-root 'the document was changed after it was signed'
}

# replaced TEXT OTHER CAUSE: a genuine document in which a text is replaced by another one is refused.
replaced() {
    "$python" -c 'import sys
text, other, genuine = *sys.argv[1:3], open(sys.argv[3], encoding="UTF-8").read()
assert text in genuine, "no " + text
open("wrapped.xml", "w", encoding="UTF-8").write(genuine.replace(text, other, 1))' "$1" "$2" genuine.xml \
        || fail "not replaced: $1"
    refused "$3"
}

@test "signatures that may mean anything are refused, with the cause" {
    local name ds=http://www.w3.org/2000/09/xmldsig#
    local envelopes="<ds:Transform Algorithm=\"${ds}enveloped-signature\"/>"
    as_user 0 sign --xml --key rsa2048 simple.xml --output genuine.xml --overwrite
    for name in ${ds}hmac-sha1 ${more}hmac-sha256 ${ds}rsa-sha1 ${more}rsa-md5 ${ds}dsa-sha1; do
        replaced "${more}rsa-sha256" "$name" "the algorithm $name is unknown here, or too weak"
    done
    for name in ${ds}sha1 ${more}md5; do replaced "$sha256" "$name" "the algorithm $name is unknown here, or too weak"; done
    for name in http://www.w3.org/TR/1999/REC-xpath-19991116 http://www.w3.org/2002/06/xmldsig-filter2 \
        http://www.w3.org/TR/1999/REC-xslt-19991116 ${ds}base64; do
        replaced "$envelopes" "<ds:Transform Algorithm=\"$name\"/>" "the transform $name is not allowed"
        replaced "$envelopes" "$envelopes<ds:Transform Algorithm=\"$name\"/>" "the transform $name is not allowed"
        replaced '<ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>' \
            "<ds:CanonicalizationMethod Algorithm=\"$name\"/>" "the transform $name is not allowed"
    done
    for name in other.xml http://127.0.0.1/document.xml file:///etc/passwd "#xpointer(id('first'))" '#xpointer(/)'; do
        replaced 'URI=""' "URI=\"$name\"" 'is not in the document: such references are not followed'
    done
    replaced 'URI=""' 'URI="#nothing"' 'the document has no element #nothing'
    replaced ' URI=""' '' 'about something that it does not name'
    replaced '<ds:SignatureValue>' '<ds:SignedInfo/><ds:SignatureValue>' 'SignedInfo and SignatureValue do not come first'
    replaced '<ds:SignedInfo>' '<ds:SignedInfo/><ds:SignedInfo>' 'SignedInfo and SignatureValue do not come first'
    replaced '</ds:Signature>' '<ds:SignedInfo/></ds:Signature>' 'parts that do not belong to a signature'
    replaced '<ds:DigestValue>' '<ds:DigestValue><!-- -->' 'SignedInfo has a comment'
    replaced '</ds:SignedInfo>' '<?a b?></ds:SignedInfo>' 'SignedInfo has a comment'
    replaced '<ds:SignatureValue>' '<ds:SignatureValue><!-- -->' 'SignatureValue is not in base64'
    replaced '<ds:X509Certificate>' '<ds:X509Certificate><!-- -->' 'its certificate cannot be read'
    replaced '<o:item Id="first"' '<o:item Id="second"' 'several elements have the Id second'
    replaced '<o:order ' '<!DOCTYPE a [<!ENTITY e "x">]><o:order ' 'document type'
    replaced '<o:signatures' '<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="order.xml"/><o:signatures' XInclude
    replaced 'шесть' 'семь' 'the document was changed after it was signed'
    replaced '<ds:SignatureValue>' '<ds:SignatureValue>AAAA' 'the signature is wrong'
}

@test "a namespace without a canonical form is refused, and libxml2 itself writes nothing" {
    sed 's/urn:default/relative/' order.xml > relative.xml
    as_user 1 sign --xml --key gost256 relative.xml
    told "libxml2 has no canonical form for the document: a namespace's name is relative"
    refute grep -i 'c14n error' messages
}
