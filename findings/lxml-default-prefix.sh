#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: lxml keeps the default namespace in the exclusive form where inclusive_ns_prefixes has "#default", the token for it in
# PrefixList (Exclusive XML Canonicalization, 3 and 4). libxml2, which makes the form, knows the token, as xmlsec1 shows.
# Seen: lxml 6.1.3 writes <p:a xmlns:p="urn:p"> with "#default" as without it, while a prefix in the list works. signxml, which takes its
# forms from lxml, says "Digest mismatch" of a signature by xmlsec1 with this token, which Java finds good.
# Consequence: a PrefixList for partners in Python names prefixes alone, or there is none. The token makes a difference where a signed
# element has a prefix and a default namespace is declared, too.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

timeout 20 java -version 2> version
grep -qF '"17.' version || { echo "needs OpenJDK 17"; exit 1; }
has=$(dpkg-query -W -f '${Version}' xmlsec1)
[ "$has" = 1.2.37-2 ] || { echo "differs: xmlsec1 has the version $has, not 1.2.37-2"; exit 1; }
timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install signxml==5.2.0 lxml==6.1.3 cryptography==50.0.2
OPENSSL_CONF=/dev/null timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 3 -subj /CN=Signer \
    -config <(printf '[req]\ndistinguished_name = name\n[name]\n') 2> log
cat > Verify.java << 'END'
import java.io.File;
import java.io.FileInputStream;
import java.security.cert.CertificateFactory;
import javax.xml.crypto.dsig.Reference;
import javax.xml.crypto.dsig.XMLSignature;
import javax.xml.crypto.dsig.XMLSignatureFactory;
import javax.xml.crypto.dsig.dom.DOMValidateContext;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

public class Verify {
    public static void main(String[] files) throws Exception {
        var certificate = CertificateFactory.getInstance("X.509").generateCertificate(new FileInputStream("certificate.pem"));
        var builders = DocumentBuilderFactory.newInstance();
        builders.setNamespaceAware(true);
        for (String file : files) {
            Document document = builders.newDocumentBuilder().parse(new File(file));
            var place = document.getElementsByTagNameNS(XMLSignature.XMLNS, "Signature").item(0);
            var context = new DOMValidateContext(certificate.getPublicKey(), place);
            XMLSignature signature = XMLSignatureFactory.getInstance("DOM").unmarshalXMLSignature(context);
            String references = "";
            for (Object reference : signature.getSignedInfo().getReferences())
                references += ((Reference) reference).validate(context) ? " good" : " wrong";
            System.out.println(file + " Java: value " + (signature.getSignatureValue().validate(context) ? "good" : "wrong")
                + ", references" + references);
        }
    }
}
END
w3=http://www.w3.org
template() { # before, start of the root, parameter of the canonical form, after
    cat << END
$1
<$2>text<ds:Signature xmlns:ds="$w3/2000/09/xmldsig#"><ds:SignedInfo>
<ds:CanonicalizationMethod Algorithm="$w3/2001/10/xml-exc-c14n#"/>
<ds:SignatureMethod Algorithm="$w3/2001/04/xmldsig-more#rsa-sha256"/>
<ds:Reference URI=""><ds:Transforms><ds:Transform Algorithm="$w3/2000/09/xmldsig#enveloped-signature"/>
<ds:Transform Algorithm="$w3/2001/10/xml-exc-c14n#">$3</ds:Transform></ds:Transforms>
<ds:DigestMethod Algorithm="$w3/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference></ds:SignedInfo>
<ds:SignatureValue/><ds:KeyInfo><ds:X509Data/></ds:KeyInfo></ds:Signature></${2%% *}>
$4
END
}
cat > verify.py << 'END'
import sys
from signxml import InvalidDigest, XMLVerifier

for name in sys.argv[1:]:
    try:
        XMLVerifier().verify(open(name, "rb").read(), x509_cert=open("certificate.pem").read())
        print(name, "signxml: good")
    except InvalidDigest as error:
        print(name, "signxml:", error)
END
list() { echo "<c:InclusiveNamespaces xmlns:c=\"$w3/2001/10/xml-exc-c14n#\" PrefixList=\"$1\"/>"; }
root='p:a xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:q"'
cat > form.py << 'END'
import sys
from lxml import etree

root = etree.fromstring(f"<{sys.argv[1]}>text</p:a>")
for prefixes in (None, ["q"], ["#default"]):
    print("lxml", prefixes, etree.tostring(root, method="c14n", exclusive=True, inclusive_ns_prefixes=prefixes).decode())
END
timeout 60 venv/bin/python form.py "$root" > seen
template '' "$root" '' '' > none
template '' "$root" "$(list q)" '' > prefix
template '' "$root" "$(list '#default')" '' > default
for name in none prefix default; do
    sed -i '/^$/d' $name
    timeout 20 xmlsec1 --sign --privkey-pem key.pem,certificate.pem --output $name.xml $name > log 2>&1
    timeout 20 xmlsec1 --verify --pubkey-cert-pem certificate.pem --store-references $name.xml > log 2>&1
    echo "xmlsec1 $name $(sed -n '/PreDigest data - start/,/PreDigest data - end/{/PreDigest/!p}' log)" >> seen
done
timeout 60 java Verify.java none.xml prefix.xml default.xml >> seen
timeout 60 venv/bin/python verify.py none.xml prefix.xml default.xml >> seen

echo "lxml 6.1.3, signxml 5.2.0, xmlsec1 1.2.37, $(head -n 1 version)"
echo "expected: the third form has xmlns=\"urn:d\", and all are good"
cat seen
[ "$(cat seen)" = "lxml None <p:a xmlns:p=\"urn:p\">text</p:a>
lxml ['q'] <p:a xmlns:p=\"urn:p\" xmlns:q=\"urn:q\">text</p:a>
lxml ['#default'] <p:a xmlns:p=\"urn:p\">text</p:a>
xmlsec1 none <p:a xmlns:p=\"urn:p\">text</p:a>
xmlsec1 prefix <p:a xmlns:p=\"urn:p\" xmlns:q=\"urn:q\">text</p:a>
xmlsec1 default <p:a xmlns=\"urn:d\" xmlns:p=\"urn:p\">text</p:a>
none.xml Java: value good, references good
prefix.xml Java: value good, references good
default.xml Java: value good, references good
none.xml signxml: good
prefix.xml signxml: good
default.xml signxml: Digest mismatch for reference 0 ()" ] || { echo "differs: see the lines above"; exit 1; }
echo "still so: \"#default\" has no effect in lxml"
