#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: signxml makes XAdES signatures with Exclusive XML Canonicalization that others verify, and itself. A reference that names no
# canonical form is hashed in Canonical XML 1.0 (XML Signature, 4.4.3.2), so another form has to be named.
# Seen: signxml 5.2.0 names the exclusive form for the document, but for SignedProperties and KeyInfo it names none and hashes the exclusive
# form. xmlsec1, Java and signxml's own XAdESVerifier find these digests wrong. With an inclusive form, its default, all is well.
# Consequence: XAdES of signxml is made with its default form, c14n_algorithm unset. A document with the exclusive one is signed anew.
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
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

public class Verify {
    public static void main(String[] files) throws Exception {
        var certificate = CertificateFactory.getInstance("X.509").generateCertificate(new FileInputStream("certificate.pem"));
        var builders = DocumentBuilderFactory.newInstance();
        builders.setNamespaceAware(true);
        for (String file : files) {
            Document document = builders.newDocumentBuilder().parse(new File(file));
            var place = document.getElementsByTagNameNS(XMLSignature.XMLNS, "Signature").item(0);
            var context = new DOMValidateContext(certificate.getPublicKey(), place);
            NodeList elements = document.getElementsByTagName("*");
            for (int i = 0; i < elements.getLength(); i++)
                if (((Element) elements.item(i)).hasAttribute("Id"))
                    context.setIdAttributeNS((Element) elements.item(i), null, "Id");
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
cat > sign.py << 'END'
import base64
import hashlib
from lxml import etree
from signxml import CanonicalizationMethod, InvalidDigest
from signxml.xades import XAdESDataObjectFormat, XAdESSigner, XAdESVerifier

key, certificate = open("key.pem").read(), open("certificate.pem").read()
spaces = {"ds": "http://www.w3.org/2000/09/xmldsig#"}
forms = {"inclusive": CanonicalizationMethod.CANONICAL_XML_1_1,
         "exclusive": CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0}
for name, form in forms.items():
    signer = XAdESSigner(c14n_algorithm=form, claimed_roles=[], signature_policy=None,
                         data_object_format=XAdESDataObjectFormat(Description="a text", MimeType="text/xml"))
    signed = signer.sign(etree.fromstring("<a>text</a>"), key=key, cert=certificate)
    etree.ElementTree(signed).write(f"{name}.xml")
    for reference in signed.findall(".//ds:Reference", spaces)[1:]:
        element = signed.find(f".//*[@Id='{reference.get('URI')[1:]}']")
        digest = base64.b64decode(reference.findtext("ds:DigestValue", None, spaces))
        of = [kind for kind in ("inclusive", "exclusive") if digest == hashlib.sha256(
            etree.tostring(element, method="c14n", exclusive=kind == "exclusive")).digest()]
        named = reference.find("ds:Transforms", spaces) is not None
        print(f"{name}.xml {etree.QName(element).localname}: digest of the {' and '.join(of) or 'no'} form, transforms", named)
    try:
        XAdESVerifier().verify(etree.tostring(signed), x509_cert=certificate, expect_references=3)
        print(f"{name}.xml XAdESVerifier: good")
    except InvalidDigest as error:
        print(f"{name}.xml XAdESVerifier:", str(error).partition(" (")[0])
END
timeout 60 venv/bin/python sign.py > seen
for file in inclusive.xml exclusive.xml; do
    status=0
    timeout 20 xmlsec1 --verify --pubkey-cert-pem certificate.pem --id-attr:Id http://uri.etsi.org/01903/v1.3.2#:SignedProperties \
        --id-attr:Id http://www.w3.org/2000/09/xmldsig#:KeyInfo $file > log 2>&1 || status=$?
    echo "$file xmlsec1: status $status$(grep -oF ' data and digest do not match' <(tr : ' ' < log) || true)" >> seen
done
timeout 60 java Verify.java inclusive.xml exclusive.xml >> seen

echo "signxml 5.2.0, lxml 6.1.3, xmlsec1 1.2.37, $(head -n 1 version)"
echo "expected: both files are good"
cat seen
[ "$(cat seen)" = "inclusive.xml SignedProperties: digest of the inclusive form, transforms False
inclusive.xml KeyInfo: digest of the inclusive form, transforms False
inclusive.xml XAdESVerifier: good
exclusive.xml SignedProperties: digest of the exclusive form, transforms False
exclusive.xml KeyInfo: digest of the exclusive form, transforms False
exclusive.xml XAdESVerifier: Digest mismatch for reference 1
inclusive.xml xmlsec1: status 0
exclusive.xml xmlsec1: status 1 data and digest do not match
inclusive.xml Java: value good, references good good good
exclusive.xml Java: value good, references good wrong wrong" ] || { echo "differs: see the lines above"; exit 1; }
echo "still so: the exclusive form is hashed and not named"
