// SPDX-License-Identifier: Apache-2.0
// Documents verify FILE...: verifies all signatures of documents by Java's own javax.xml.crypto.dsig.
// Documents sign KEY CERTIFICATE FILE: signs a document in each form, as java-FORM.xml. The key is PKCS #8 in DER.

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import javax.xml.crypto.AlgorithmMethod;
import javax.xml.crypto.KeySelector;
import javax.xml.crypto.KeySelectorResult;
import javax.xml.crypto.XMLCryptoContext;
import javax.xml.crypto.dsig.CanonicalizationMethod;
import javax.xml.crypto.dsig.DigestMethod;
import javax.xml.crypto.dsig.Reference;
import javax.xml.crypto.dsig.Transform;
import javax.xml.crypto.dsig.XMLSignatureFactory;
import javax.xml.crypto.dsig.dom.DOMSignContext;
import javax.xml.crypto.dsig.dom.DOMValidateContext;
import javax.xml.crypto.dsig.keyinfo.KeyInfo;
import javax.xml.crypto.dsig.keyinfo.X509Data;
import javax.xml.crypto.dsig.spec.C14NMethodParameterSpec;
import javax.xml.crypto.dsig.spec.TransformParameterSpec;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

class Documents {
    private static final XMLSignatureFactory FACTORY = XMLSignatureFactory.getInstance("DOM");
    private static final String UTILITY =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("sign")) {
            sign(arguments[1], arguments[2], arguments[3]);
            return;
        }
        for (int index = 1; index < arguments.length; index++) {
            verify(arguments[index]);
        }
    }

    private static Document read(String name) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        Document document = factory.newDocumentBuilder().parse(Path.of(name).toFile());
        NodeList elements = document.getElementsByTagNameNS("*", "*");
        for (int index = 0; index < elements.getLength(); index++) {
            Element element = (Element) elements.item(index);
            if (element.hasAttributeNS(null, "Id")) {
                element.setIdAttributeNS(null, "Id", true);
            }
            if (element.hasAttributeNS(UTILITY, "Id")) {
                element.setIdAttributeNS(UTILITY, "Id", true);
            }
        }
        return document;
    }

    private static void verify(String name) throws Exception {
        Document document = read(name);
        NodeList signatures =
            document.getElementsByTagNameNS("http://www.w3.org/2000/09/xmldsig#", "Signature");
        for (int index = 0; index < signatures.getLength(); index++) {
            DOMValidateContext context = new DOMValidateContext(new Selector(document), signatures.item(index));
            boolean isGood = FACTORY.unmarshalXMLSignature(context).validate(context);
            System.out.println(name + (isGood ? " good" : " wrong"));
        }
    }

    // The key of the certificate that comes with a signature: who it is of is not asked here.
    private static class Selector extends KeySelector {
        private final Document document;

        Selector(Document document) {
            this.document = document;
        }

        @Override
        public KeySelectorResult select(
            KeyInfo information, Purpose purpose, AlgorithmMethod method, XMLCryptoContext context) {
            try {
                for (Object part : information.getContent()) {
                    if (part instanceof X509Data) {
                        X509Certificate certificate = (X509Certificate) ((X509Data) part).getContent().get(0);
                        return certificate::getPublicKey;
                    }
                }
                String token = document.getElementsByTagNameNS("*", "BinarySecurityToken").item(0).getTextContent();
                InputStream der = new ByteArrayInputStream(java.util.Base64.getMimeDecoder().decode(token));
                Key key = CertificateFactory.getInstance("X.509").generateCertificate(der).getPublicKey();
                return () -> key;
            } catch (Exception error) {
                throw new IllegalArgumentException(error);
            }
        }
    }

    private static void sign(String keyName, String certificateName, String name) throws Exception {
        X509Certificate certificate;
        try (InputStream input = Files.newInputStream(Path.of(certificateName))) {
            certificate = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(input);
        }
        String algorithm = certificate.getPublicKey().getAlgorithm();
        PrivateKey key = KeyFactory.getInstance(algorithm)
            .generatePrivate(new PKCS8EncodedKeySpec(Files.readAllBytes(Path.of(keyName))));
        String method =
            "http://www.w3.org/2001/04/xmldsig-more#" + (algorithm.equals("EC") ? "ecdsa" : "rsa") + "-sha256";
        for (String form : List.of("exclusive", "inclusive", "parts")) {
            String canonical = form.equals("inclusive") ? CanonicalizationMethod.INCLUSIVE : CanonicalizationMethod.EXCLUSIVE;
            List<Reference> references = form.equals("parts")
                ? List.of(reference("#first", canonical, false), reference("#second", canonical, false))
                : List.of(reference("", canonical, true));
            var information = FACTORY.newSignedInfo(
                FACTORY.newCanonicalizationMethod(canonical, (C14NMethodParameterSpec) null),
                FACTORY.newSignatureMethod(method, null), references);
            var factory = FACTORY.getKeyInfoFactory();
            KeyInfo keyInformation = factory.newKeyInfo(List.of(factory.newX509Data(List.of(certificate))));
            Document document = read(name);
            Node place = document.getDocumentElement();
            FACTORY.newXMLSignature(information, keyInformation).sign(new DOMSignContext(key, place));
            TransformerFactory.newInstance().newTransformer()
                .transform(new DOMSource(document), new StreamResult(Path.of("java-" + form + ".xml").toFile()));
        }
    }

    private static Reference reference(String place, String canonical, boolean isEnveloped) throws Exception {
        Transform form = FACTORY.newTransform(canonical, (TransformParameterSpec) null);
        Transform enveloped = FACTORY.newTransform(Transform.ENVELOPED, (TransformParameterSpec) null);
        DigestMethod digest = FACTORY.newDigestMethod(DigestMethod.SHA256, null);
        return FACTORY.newReference(place, digest, isEnveloped ? List.of(enveloped, form) : List.of(form), null, null);
    }
}
