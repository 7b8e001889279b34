# SPDX-License-Identifier: Apache-2.0
# Documents to sign, templates for others, and programs that verify, for files that have loaded common.bash.

. "$root/Tests/System/Command/command.bash"

python=$root/.build/documents/bin/python
programs=$root/Tests/Programs/Documents
jars=.$(printf ':/usr/share/java/%s.jar' wss4j xmlsec commons-{logging,codec} slf4j-{api,nop})

setup_file() {
    command -v xmlsec1 > /dev/null || fail "no xmlsec1: apt-get install xmlsec1"
    [ -e /usr/share/java/wss4j.jar ] || fail "no WSS4J: apt-get install libwss4j-java"
    "$root/Tests/Scripts/pypi.sh" documents "$root/Tests/System/Command/documents.txt" 3>&- \
        || fail "programs of PyPI cannot be installed: run Tests/Scripts/pypi.sh where there is a network"
    prepare
    expect 0 javac -J-XX:TieredStopAtLevel=1 -cp "$jars" -d . "$programs"/{SMEV,Documents,Services}.java
    start_pcscd
    attach usb usb
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout root.key -out root.pem -days 30 \
        -subj /CN=Root -addext basicConstraints=critical,CA:true
    expect 0 openssl req -x509 -newkey rsa:2048 -nodes -keyout common.key -out common.pem -days 30 -utf8 \
        -subj "/C=RU/O=Примеры, Инк./CN=Common" -addext basicConstraints=critical,CA:true -addext keyUsage=keyCertSign
    cat root.pem common.pem > roots.pem
    keys
    documents
    templates
}

documents() {
    # All that canonical forms treat in a way of their own.
    cat > order.xml << 'END'
<?xml version="1.0" encoding="UTF-8"?>
<?before instruction?>
<!-- a comment -->
<o:order xmlns:o="urn:order" xmlns:unused="urn:unused" xmlns="urn:default" o:b="2" a='1' xml:lang="ru">
  <o:item Id="first" o:z="1" b="&lt;&amp;&quot;&#10;'">пять &amp; шесть &lt;<![CDATA[ <seven> ]]>&gt;&#13;</o:item>
  <o:item xmlns:o2="urn:order" o2:q="1" Id="second"/>
  <place xmlns="urn:place"><inner xmlns=""><!-- inside -->x<deep xmlns="urn:deep"/></inner><?inside instruction?></place>
  <o:signatures/>
</o:order>
<?after instruction?>
END
    # signxml leaves out instructions outside the root, and in inclusive forms what is declared around an element.
    cat > simple.xml << 'END'
<o:order xmlns:o="urn:order" xmlns:unused="urn:unused" o:b="2" a='1'>
  <o:item Id="first" b="&lt;&amp;&quot;&#10;'">пять &amp; шесть<!-- a comment --></o:item>
  <o:item Id="second"/><o:signatures/></o:order>
END
    cat > request.xml << 'END'
<?xml version="1.0" encoding="UTF-8"?>
<s:SendRequestRequest xmlns:s="urn://x-artefacts-smev-gov-ru/services/message-exchange/types/1.1"
  xmlns="urn://x-artefacts-smev-gov-ru/services/message-exchange/types/basic/1.1">
  <s:SenderProvidedRequestData Id="SIGNED_BY_CONSUMER">
    <s:MessageID>d57bbbb6-9d42-11e5-bd1e-54ee75044ab0</s:MessageID>
    <MessagePrimaryContent>
      <q:Question xmlns:q="urn://question" number="5" q:kind="часть"><q:Text>Сколько?</q:Text><q:Empty/></q:Question>
    </MessagePrimaryContent>
  </s:SenderProvidedRequestData>
  <s:CallerInformationSystemSignature/>
</s:SendRequestRequest>
END
    cat > bill.xml << 'END'
<?xml version="1.0" encoding="UTF-8"?>
<env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/" xmlns:b="urn:base"><env:Header/>
<env:Body><h:importRequest xmlns:h="urn:housing" Id="signed-data-container" b:version="11.0.0.4">
  <h:bill>Счёт № 5</h:bill></h:importRequest></env:Body></env:Envelope>
END
    local time
    time="<wsu:Timestamp wsu:Id=\"time\"><wsu:Created>$(date -u +%FT%TZ)</wsu:Created></wsu:Timestamp>"
    envelope "<soap:Header><w:Security xmlns:w=\"$wsse\">$time</w:Security></soap:Header>" > envelope.xml
    envelope '<soap:Header><other xmlns="urn:other"/></soap:Header>' > insecure.xml
    envelope '' > headless.xml
}

soap=http://schemas.xmlsoap.org/soap/envelope/
wss=http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss
wsse=$wss-wssecurity-secext-1.0.xsd
wsu=$wss-wssecurity-utility-1.0.xsd
smev=urn://x-artefacts-smev-gov-ru/services/message-exchange/types/1.1

# An envelope with this header.
envelope() {
    cat << END
<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="$soap" xmlns:wsu="$wsu">$1
  <soap:Body wsu:Id="body"><pay xmlns="urn:bank"><to>Иван</to><sum>5</sum></pay></soap:Body>
</soap:Envelope>
END
}

# A key and a certificate on the token, and of a file. Those of RSA and P-256 have a root that programs without GOST accept.
kinds=(gost256 gost512 rsa2048 p256)
declare -gA new=([gost256]='gost2012_256 -pkeyopt paramset:A' [gost512]='gost2012_512 -pkeyopt paramset:A'
    [rsa2048]=rsa:2048 [p256]='ec -pkeyopt ec_paramgen_curve:prime256v1')
keys() {
    local kind
    for kind in "${kinds[@]}"; do
        as_user 0 key generate --kind "$kind" --label "$kind"
        as_user 0 cert request --key "$kind" --subject "CN=Token $kind" --output request.pem --overwrite
        issue "$kind"
        as_user 0 cert import "$kind.pem" --label "$kind"
        # shellcheck disable=SC2086
        expect 0 openssl req -newkey ${new[$kind]} -nodes -keyout "file-$kind.key" -out request.pem -subj "/CN=File $kind"
        issue "$kind" file-
    done
}

# issue KIND [PREFIX]: the certificate of request.pem.
issue() {
    local authority=common
    [[ $1 != gost* ]] || authority=root
    expect 0 openssl x509 -req -in request.pem -CA $authority.pem -CAkey $authority.key -CAcreateserial -out "${2:-}$1.pem" \
        -days 30 -extfile <(printf '%s\n' basicConstraints=CA:false keyUsage=digitalSignature subjectAltName=DNS:signer.example \
            authorityKeyIdentifier=keyid)
}

# ---- Forms ----

# What is signed in each form, and the options for it.
forms=(exclusive inclusive parts parts-inclusive smev services xades)
declare -gA document=([exclusive]=order [inclusive]=order [parts]=order [parts-inclusive]=order [smev]=request
    [services]=envelope [xades]=bill)
parts='--element first --element second --place {urn:order}signatures'
declare -gA option=([exclusive]='' [inclusive]='--canonical inclusive' [parts]=$parts
    [parts-inclusive]="--canonical inclusive $parts"
    [smev]="--profile smev --element SIGNED_BY_CONSUMER --place {$smev}CallerInformationSystemSignature"
    [services]='--profile wss --element body --element time' [xades]='--profile xades --element signed-data-container')

# ours FORM KIND RESULT [OPTION...]: the command signs by the token's key.
ours() {
    # shellcheck disable=SC2086
    as_user 0 sign --xml --key "$2" ${option[$1]} "${document[$1]}.xml" --output "$3" --overwrite "${@:4}"
}

# The elements with an algorithm in templates.
declare -gA algorithm=([exclusive]='http://www.w3.org/2001/10/xml-exc-c14n#'
    [inclusive]=http://www.w3.org/TR/2001/REC-xml-c14n-20010315
    [enveloped]=http://www.w3.org/2000/09/xmldsig#enveloped-signature [smev]=urn://smev-gov-ru/xmldsig/transform)
more='http://www.w3.org/2001/04/xmldsig-more#'
sha256=http://www.w3.org/2001/04/xmlenc#sha256

# reference DIGEST URI TYPE TRANSFORM...
reference() {
    local transform
    printf '\n   <Reference URI="%s"%s><Transforms>' "$2" "${3:+ Type=\"$3\"}"
    for transform in "${@:4}"; do printf '<Transform Algorithm="%s"/>' "${algorithm[$transform]}"; done
    printf '</Transforms><DigestMethod Algorithm="%s"/><DigestValue></DigestValue></Reference>' "$1"
}

# signature CANONICAL METHOD KEYINFO REFERENCES [OBJECT]
signature() {
    printf '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#" Id="signature">\n  <SignedInfo>
   <CanonicalizationMethod Algorithm="%s"/>\n   <SignatureMethod Algorithm="%s"></SignatureMethod>%s\n  </SignedInfo>
  <SignatureValue></SignatureValue>\n  <KeyInfo>%s</KeyInfo>%s</Signature>' "${algorithm[$1]}" "$2" "$4" "$3" "${5:-}"
}

# template FORM KIND: the form's document with a signature without values, by the file's key. "describe" comes first.
template() {
    local form=$1 canonical=exclusive text token key=w:SecurityTokenReference
    local method digest information="<X509Data><X509Certificate>$certificate</X509Certificate></X509Data>"
    local kind=$wss-x509-token-profile-1.0#X509v3 encoding=$wss-soap-message-security-1.0#Base64Binary
    read -r method digest <<< "${algorithms[$2]}"
    [[ $form != *inclusive ]] || canonical=inclusive
    text=$(< "${document[$form]}.xml")
    case $form in
        exclusive | inclusive)
            put '<o:signatures/>' "$(signature $canonical "$method" "$information" \
                "$(reference "$digest" '' '' enveloped $canonical)")" ;;
        parts*)
            put '<o:signatures/>' "<o:signatures>$(signature $canonical "$method" "$information" \
                "$(reference "$digest" '#first' '' $canonical; reference "$digest" '#second' '' $canonical)")</o:signatures>" ;;
        smev)
            token=s:CallerInformationSystemSignature
            put "<$token/>" "<$token>$(signature exclusive "$method" "$information" \
                "$(reference "$digest" '#SIGNED_BY_CONSUMER' '' exclusive smev)")</$token>" ;;
        services)
            token="<w:BinarySecurityToken EncodingType=\"$encoding\" ValueType=\"$kind\" wsu:Id=\"token\">"
            put '<wsu:Timestamp' "$token$certificate</w:BinarySecurityToken>$(signature exclusive "$method" \
                "<$key><w:Reference URI=\"#token\" ValueType=\"$kind\"/></$key>" \
                "$(reference "$digest" '#body' '' exclusive; reference "$digest" '#time' '' exclusive)")<wsu:Timestamp" ;;
        xades)
            put '<h:bill>' "$(signature exclusive "$method" "$information" \
                "$(reference "$digest" '#signed-data-container' '' enveloped exclusive
                reference "$digest" '#properties' http://uri.etsi.org/01903#SignedProperties exclusive)" \
                "$(properties "$digest")")<h:bill>" ;;
    esac
}
# Prints the text with the first text replaced by the second.
put() { printf '%s\n' "${text/"$1"/"$2"}"; }

# The names of a method and of a hash function, of CryptoPro's kind for GOST.
cryptopro=urn:ietf:params:xml:ns:cpxmlsec:algorithms:
declare -gA algorithms=([gost256]="${cryptopro}gostr34102012-gostr34112012-256 ${cryptopro}gostr34112012-256"
    [gost512]="${cryptopro}gostr34102012-gostr34112012-512 ${cryptopro}gostr34112012-512"
    [rsa2048]="${more}rsa-sha256 $sha256" [p256]="${more}ecdsa-sha256 $sha256")
declare -gA hash=([gost256]=md_gost12_256 [gost512]=md_gost12_512 [rsa2048]=sha256 [p256]=sha256)

# Sets what templates say of the certificate of a kind's file.
describe() {
    openssl x509 -in "file-$1.pem" -outform DER -out certificate.der
    certificate=$(base64 -w 64 certificate.der)
    fingerprint=$(openssl dgst "-${hash[$1]}" -binary certificate.der | base64 -w 0)
    issuer=$(openssl x509 -in "file-$1.pem" -noout -issuer -nameopt RFC2253,-esc_msb,utf8)
    number=$(openssl x509 -in "file-$1.pem" -noout -serial)
    number=$(python3 -c 'import sys; print(int(sys.argv[1], 16))' "${number#*=}")
}

# properties DIGEST: those that XAdES signs.
properties() {
    cat << END
<Object><x:QualifyingProperties xmlns:x="http://uri.etsi.org/01903/v1.3.2#" Target="#signature"><x:SignedProperties Id="properties">
<x:SignedSignatureProperties><x:SigningTime>2026-11-29T13:00:00.5+03:00</x:SigningTime><x:SigningCertificate><x:Cert><x:CertDigest>
<DigestMethod Algorithm="$1"/><DigestValue>$fingerprint</DigestValue></x:CertDigest><x:IssuerSerial>
<X509IssuerName>${issuer#issuer=}</X509IssuerName><X509SerialNumber>$number</X509SerialNumber>
</x:IssuerSerial></x:Cert></x:SigningCertificate></x:SignedSignatureProperties></x:SignedProperties></x:QualifyingProperties></Object>
END
}

# Templates of each form, as KIND-FORM.template; those with the older names of GOST are as KIND-FORM-w3c.template.
templates() {
    local kind form
    for kind in "${kinds[@]}"; do
        describe "$kind"
        for form in "${forms[@]}"; do template "$form" "$kind" > "$kind-$form.template"; done
    done
    for kind in gost256 gost512; do
        for form in exclusive xades; do sed "s|$cryptopro|$more|" "$kind-$form.template" > "$kind-$form-w3c.template"; done
    done
}

# ---- Peers ----

by_python() { expect 0 "$python" "$root/Tests/System/Command/documents.py" "$@"; }
by_java() { expect 0 java -XX:TieredStopAtLevel=1 -cp . Documents "$@"; }
by_wss4j() { expect 0 java -XX:TieredStopAtLevel=1 -cp "$jars" Services "$@"; }

# accepted NAME FILE...: the command accepts the signatures of this signer, each alone; "covered" lists what they cover.
accepted() {
    kanal_exits 0 verify --xml --ca roots.pem "${@:2}"
    [ "$(grep -c ': good$' output)" = "$(($# - 1))" ] || fail "not all are good: $(cat output)"
    [ "$(grep -c "signed by CN=$1" output)" = "$(($# - 1))" ] || fail "signed by others: $(cat output)"
    grep '^    covers' output | sed 's/^ *//' > covered
}

# Whether the command's list of what is covered is that of the peer's output.
covers_the_same() { grep '^    covers' output | sed 's/^ *//' | diff covered - || fail "they cover different elements"; }

identifiers=(--id-attr:Id Envelope --id-attr:Id item --id-attr:Id "$wsu:Timestamp" --id-attr:Id "$soap:Body"
    --id-attr:Id http://uri.etsi.org/01903/v1.3.2#:SignedProperties --id-attr:Id urn:housing:importRequest
    --id-attr:Id urn:order:item --id-attr:Id "$smev:SenderProvidedRequestData")
