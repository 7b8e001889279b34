// SPDX-License-Identifier: Apache-2.0
// Signers MESSAGE [CONTENT]: the signers of a message, and their countersigners, and whether BouncyCastle verifies each
// signature.
// Signers MESSAGE KEY CERTIFICATE RESULT: countersigns each signer with a key of RSA (PKCS #8); all files are DER.

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Security;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.CMSSignedDataGenerator;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.SignerInformationStore;
import org.bouncycastle.cms.jcajce.JcaSignerInfoGeneratorBuilder;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.bouncycastle.util.Store;

class Signers {
    public static void main(String[] arguments) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        byte[] bytes = Files.readAllBytes(Path.of(arguments[0]));
        if (arguments.length == 4) {
            countersign(bytes, arguments);
            return;
        }
        CMSSignedData message = arguments.length == 1
            ? new CMSSignedData(bytes)
            : new CMSSignedData(new CMSProcessableByteArray(Files.readAllBytes(Path.of(arguments[1]))), bytes);
        for (SignerInformation signer : message.getSignerInfos()) {
            show("signer", signer, message.getCertificates());
            for (SignerInformation other : signer.getCounterSignatures()) {
                show("countersigner", other, message.getCertificates());
            }
        }
    }

    private static void countersign(byte[] bytes, String[] arguments) throws Exception {
        CMSSignedData message = new CMSSignedData(bytes);
        PrivateKey key = KeyFactory.getInstance("RSA").generatePrivate(
            new PKCS8EncodedKeySpec(Files.readAllBytes(Path.of(arguments[1]))));
        X509CertificateHolder certificate = new X509CertificateHolder(Files.readAllBytes(Path.of(arguments[2])));
        CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
        generator.addSignerInfoGenerator(
            new JcaSignerInfoGeneratorBuilder(new JcaDigestCalculatorProviderBuilder().setProvider("BC").build())
                .build(new JcaContentSignerBuilder("SHA256withRSA").setProvider("BC").build(key), certificate));
        List<SignerInformation> signers = new ArrayList<>();
        for (SignerInformation signer : message.getSignerInfos()) {
            signers.add(SignerInformation.addCounterSigners(signer, generator.generateCounterSigners(signer)));
        }
        CMSSignedData result = CMSSignedData.replaceSigners(message, new SignerInformationStore(signers));
        Files.write(Path.of(arguments[3]), result.getEncoded());
    }

    @SuppressWarnings("unchecked")
    private static void show(String kind, SignerInformation signer, Store<X509CertificateHolder> store)
        throws Exception {
        Collection<X509CertificateHolder> found = store.getMatches(signer.getSID());
        X509CertificateHolder certificate = found.iterator().next();
        boolean isGood = signer.verify(
            new JcaSimpleSignerInfoVerifierBuilder().setProvider("BC").build(certificate));
        System.out.println(kind + " " + certificate.getSubject() + (isGood ? " good" : " wrong"));
    }
}
