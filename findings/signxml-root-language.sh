#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: what signxml signs with its defaults, others verify. Canonical XML, 1.0 and 1.1, of a part of a document has the attributes
# xml:lang and xml:space of the elements around it (2.4), and SignedInfo, which is signed, is such a part.
# Seen: signxml 5.2.0 signs SignedInfo without them: lxml's tostring(method="c14n") treats an element as a document of its own. A document
# whose root has xml:lang is good for signxml itself; xmlsec1 and Java find the digest right and the signature's value wrong.
# Consequence: documents that have xml:lang or xml:space around the signature are signed with the exclusive form, which has no such rule.
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
cat > sign.py << 'END'
import base64
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from lxml import etree
from signxml import CanonicalizationMethod, XMLSigner, XMLVerifier

key, certificate = open("key.pem").read(), open("certificate.pem").read()
spaces = {"ds": "http://www.w3.org/2000/09/xmldsig#"}
exclusive = {"c14n_algorithm": CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0}
for name, root, options in (("none", "", {}), ("lang", " xml:lang='en'", {}), ("space", " xml:space='preserve'", {}),
                            ("exclusive", " xml:lang='en'", exclusive)):
    signed = XMLSigner(**options).sign(etree.fromstring(f"<a{root}>text</a>"), key=key, cert=certificate)
    etree.ElementTree(signed).write(f"{name}.xml")
    XMLVerifier().verify(etree.tostring(signed), x509_cert=certificate)
    print(f"{name}.xml signxml: good")
    if name == "lang":
        value = base64.b64decode(signed.findtext(".//ds:SignatureValue", None, spaces))
        form = etree.tostring(signed.find(".//ds:SignedInfo", spaces), method="c14n")
        load_pem_private_key(key.encode(), None).public_key().verify(value, form, PKCS1v15(), SHA256())
        print(f"{name}.xml: signed is", form[:form.index(b">") + 1].decode())
END
timeout 60 venv/bin/python sign.py > seen
for file in none.xml lang.xml space.xml exclusive.xml; do
    status=0
    timeout 20 xmlsec1 --verify --pubkey-cert-pem certificate.pem $file > log 2>&1 || status=$?
    echo "$file xmlsec1: status $status,$(sed -n 's/SignedInfo References (ok.all): / references /p' log)" >> seen
done
timeout 60 java Verify.java none.xml lang.xml space.xml exclusive.xml >> seen

echo "signxml 5.2.0, lxml 6.1.3, xmlsec1 1.2.37, $(head -n 1 version)"
echo "expected: all are good"
cat seen
[ "$(cat seen)" = 'none.xml signxml: good
lang.xml signxml: good
lang.xml: signed is <ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
space.xml signxml: good
exclusive.xml signxml: good
none.xml xmlsec1: status 0, references 1/1
lang.xml xmlsec1: status 1, references 1/1
space.xml xmlsec1: status 1, references 1/1
exclusive.xml xmlsec1: status 0, references 1/1
none.xml Java: value good, references good
lang.xml Java: value wrong, references good
space.xml Java: value wrong, references good
exclusive.xml Java: value good, references good' ] || { echo "differs: see the lines above"; exit 1; }
echo "still so: others refuse signatures of signxml in a root that has xml:lang"
