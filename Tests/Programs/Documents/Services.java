// SPDX-License-Identifier: Apache-2.0
// Services verify ROOT FILE...: verifies the security header of SOAP envelopes by WSS4J, and prints what it covers.
// Services sign STORE FILE RESULT: signs the body and a time of an envelope with the key "signer" of a PKCS #12 file.

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.ws.security.WSConstants;
import org.apache.ws.security.WSDataRef;
import org.apache.ws.security.WSEncryptionPart;
import org.apache.ws.security.WSSecurityEngine;
import org.apache.ws.security.WSSecurityEngineResult;
import org.apache.ws.security.components.crypto.Merlin;
import org.apache.ws.security.message.WSSecHeader;
import org.apache.ws.security.message.WSSecSignature;
import org.apache.ws.security.message.WSSecTimestamp;
import org.w3c.dom.Document;

class Services {
    public static void main(String[] arguments) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        Merlin keys = new Merlin();
        if (arguments[0].equals("sign")) {
            try (InputStream input = Files.newInputStream(Path.of(arguments[1]))) {
                store.load(input, "secret".toCharArray());
            }
            keys.setKeyStore(store);
            sign(keys, arguments[2], arguments[3]);
            return;
        }
        store.load(null, null);
        try (InputStream input = Files.newInputStream(Path.of(arguments[1]))) {
            store.setCertificateEntry("root", CertificateFactory.getInstance("X.509").generateCertificate(input));
        }
        keys.setKeyStore(store);
        for (int index = 2; index < arguments.length; index++) {
            verify(keys, arguments[index]);
        }
    }

    private static Document read(String name) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        return factory.newDocumentBuilder().parse(Path.of(name).toFile());
    }

    private static void verify(Merlin keys, String name) throws Exception {
        for (WSSecurityEngineResult result : new WSSecurityEngine().processSecurityHeader(read(name), "", null, keys)) {
            Object covered = result.get(WSSecurityEngineResult.TAG_DATA_REF_URIS);
            if (covered != null) {
                for (Object part : (List<?>) covered) {
                    System.out.println(name + " covers " + ((WSDataRef) part).getXpath());
                }
            }
        }
    }

    private static void sign(Merlin keys, String name, String result) throws Exception {
        Document document = read(name);
        WSSecHeader header = new WSSecHeader();
        header.insertSecurityHeader(document);
        new WSSecTimestamp().build(document, header);
        WSSecSignature signature = new WSSecSignature();
        signature.setUserInfo("signer", "secret");
        signature.setKeyIdentifierType(WSConstants.BST_DIRECT_REFERENCE);
        signature.setSignatureAlgorithm("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
        signature.setDigestAlgo("http://www.w3.org/2001/04/xmlenc#sha256");
        signature.setParts(List.of(
            new WSEncryptionPart("Body", document.getDocumentElement().getNamespaceURI(), ""),
            new WSEncryptionPart("Timestamp", WSConstants.WSU_NS, "")));
        signature.build(document, keys, header);
        TransformerFactory.newInstance().newTransformer()
            .transform(new DOMSource(document), new StreamResult(Path.of(result).toFile()));
    }
}
