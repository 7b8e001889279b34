#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: signxml verifies what xmlsec1 signs as a whole document (URI=""). That is all of it but comments, also processing
# instructions before and after the root (XML Signature, 4.4.3.3; Canonical XML, 2.1).
# Seen: signxml 5.2.0 hashes the root alone. A document with <?app one?> before or after the root is good for Java, and "Digest mismatch"
# for signxml. With comments there instead, which are covered by nothing, both find it good.
# Consequence: documents for signxml have no instructions outside the root, such as <?xml-stylesheet?>; or an element is signed by its Id.
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
template '' a '' '' > plain
template '<!-- one -->' a '' '<!-- two -->' > comments
template '<?app one?>' a '' '' > before
template '' a '' '<?app one?>' > after
for name in plain comments before after; do
    sed -i '/^$/d' $name
    timeout 20 xmlsec1 --sign --privkey-pem key.pem,certificate.pem --output $name.xml $name > log 2>&1
    timeout 20 xmlsec1 --verify --pubkey-cert-pem certificate.pem --store-references $name.xml > log 2>&1
    echo "$name.xml signed is: $(sed -n '/PreDigest data - start/,/PreDigest data - end/{/PreDigest/!p}' log | tr '\n' ' ')" >> seen
done
timeout 60 java Verify.java plain.xml comments.xml before.xml after.xml >> seen
timeout 60 venv/bin/python verify.py plain.xml comments.xml before.xml after.xml >> seen

echo "signxml 5.2.0, lxml 6.1.3, xmlsec1 1.2.37, $(head -n 1 version)"
echo "expected: all are good"
cat seen
[ "$(cat seen)" = 'plain.xml signed is: <a>text</a> 
comments.xml signed is: <a>text</a> 
before.xml signed is: <?app one?> <a>text</a> 
after.xml signed is: <a>text</a> <?app one?> 
plain.xml Java: value good, references good
comments.xml Java: value good, references good
before.xml Java: value good, references good
after.xml Java: value good, references good
plain.xml signxml: good
comments.xml signxml: good
before.xml signxml: Digest mismatch for reference 0 ()
after.xml signxml: Digest mismatch for reference 0 ()' ] || { echo "differs: see the lines above"; exit 1; }
echo "still so: signxml refuses documents with instructions outside the root"
