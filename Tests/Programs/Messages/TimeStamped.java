// SPDX-License-Identifier: Apache-2.0

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.Security;
import java.util.Arrays;
import org.bouncycastle.asn1.cms.Attribute;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.tsp.TimeStampToken;
import org.bouncycastle.util.Store;

/** TimeStamped MESSAGE CONTENT: BouncyCastle on a CAdES-T message whose content is beside it. */
public class TimeStamped {
    public static void main(String[] words) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        byte[] octets = Files.readAllBytes(Path.of(words[0]));
        byte[] content = Files.readAllBytes(Path.of(words[1]));
        CMSSignedData message = new CMSSignedData(new CMSProcessableByteArray(content), octets);
        check(Arrays.equals(message.getEncoded("DER"), octets), "the message is DER");
        for (SignerInformation signer : message.getSignerInfos().getSigners()) {
            check(signer.verify(verifier(message.getCertificates(), signer.getSID())), "the signature is good");
            check(signer.getUnsignedAttributes().size() == 1, "there is one unsigned attribute");
            Attribute attribute =
                    signer.getUnsignedAttributes().get(PKCSObjectIdentifiers.id_aa_signatureTimeStampToken);
            check(attribute.getAttrValues().size() == 1, "it has one stamp");
            byte[] der = attribute.getAttrValues().getObjectAt(0).toASN1Primitive().getEncoded();
            TimeStampToken token = new TimeStampToken(new CMSSignedData(der));
            token.validate(verifier(token.getCertificates(), token.getSID()));
            String hash = token.getTimeStampInfo().getMessageImprintAlgOID().getId();
            byte[] digest = MessageDigest.getInstance(hash, "BC").digest(signer.getSignature());
            check(Arrays.equals(digest, token.getTimeStampInfo().getMessageImprintDigest()), "of the signature");
        }
        System.out.println("CAdES-T");
    }

    @SuppressWarnings("unchecked")
    private static org.bouncycastle.cms.SignerInformationVerifier verifier(
            Store<X509CertificateHolder> store, org.bouncycastle.cms.SignerId signer) throws Exception {
        X509CertificateHolder certificate =
                (X509CertificateHolder) store.getMatches(signer).iterator().next();
        return new JcaSimpleSignerInfoVerifierBuilder().setProvider("BC").build(certificate);
    }

    private static void check(boolean isSo, String claim) {
        if (!isSo) throw new IllegalStateException("not so: " + claim);
    }
}
