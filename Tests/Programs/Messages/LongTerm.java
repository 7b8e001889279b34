// SPDX-License-Identifier: Apache-2.0

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1Sequence;
import org.bouncycastle.asn1.cms.Attribute;
import org.bouncycastle.asn1.esf.CompleteRevocationRefs;
import org.bouncycastle.asn1.esf.CrlOcspRef;
import org.bouncycastle.asn1.esf.CrlValidatedID;
import org.bouncycastle.asn1.esf.OcspResponsesID;
import org.bouncycastle.asn1.esf.OtherHash;
import org.bouncycastle.asn1.esf.RevocationValues;
import org.bouncycastle.asn1.ess.OtherCertID;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x509.Certificate;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.tsp.TimeStampToken;

/** LongTerm MESSAGE: BouncyCastle on a CAdES-X Long type 1 message: each reference names a value. */
public class LongTerm {
    private static final String AA = "1.2.840.113549.1.9.16.2.";

    public static void main(String[] words) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        CMSSignedData message = new CMSSignedData(Files.readAllBytes(Path.of(words[0])));
        for (SignerInformation signer : message.getSignerInfos().getSigners()) {
            List<byte[]> certificates = new ArrayList<>();
            for (ASN1Encodable value : ASN1Sequence.getInstance(value(signer, 23))) {
                certificates.add(Certificate.getInstance(value).getEncoded(ASN1Encoding.DER));
            }
            RevocationValues revocations = RevocationValues.getInstance(value(signer, 24));
            List<byte[]> states = new ArrayList<>();
            for (var list : revocations.getCrlVals()) states.add(list.getEncoded(ASN1Encoding.DER));
            for (var response : revocations.getOcspVals()) states.add(response.getEncoded(ASN1Encoding.DER));

            int references = 0;
            for (ASN1Encodable value : ASN1Sequence.getInstance(value(signer, 21))) {
                OtherCertID name = OtherCertID.getInstance(value);
                check(named(name.getAlgorithmHash().getAlgorithm(), name.getCertHash(), certificates), "a certificate");
                references++;
            }
            CrlOcspRef[] revoked = CompleteRevocationRefs.getInstance(value(signer, 22)).getCrlOcspRefs();
            check(revoked.length == references + 1, "one for the signer and for each of the others");
            for (int place = 0; place < revoked.length; place++) {
                int count = 0;
                if (revoked[place].getCrlids() != null) {
                    for (CrlValidatedID name : revoked[place].getCrlids().getCrls()) {
                        check(named(name.getCrlHash(), states), "a list");
                        count++;
                    }
                }
                if (revoked[place].getOcspids() != null) {
                    for (OcspResponsesID name : revoked[place].getOcspids().getOcspResponses()) {
                        check(named(name.getOcspRepHash(), states), "a response");
                        count++;
                    }
                }
                check((count > 0) == (place + 1 < revoked.length), "all but the trusted one have a statement");
            }

            ByteArrayOutputStream stamped = new ByteArrayOutputStream();
            stamped.write(signer.getSignature());
            for (int type : new int[] {14, 21, 22}) {
                Attribute attribute = attribute(signer, type);
                stamped.write(attribute.getAttrType().getEncoded(ASN1Encoding.DER));
                stamped.write(attribute.getAttrValues().getEncoded(ASN1Encoding.DER));
            }
            TimeStampToken token = new TimeStampToken(
                    new CMSSignedData(value(signer, 25).toASN1Primitive().getEncoded()));
            byte[] digest = digest(
                    token.getTimeStampInfo().getMessageImprintAlgOID(), stamped.toByteArray());
            check(Arrays.equals(digest, token.getTimeStampInfo().getMessageImprintDigest()), "the stamp over all");
        }
        System.out.println("CAdES-X Long type 1");
    }

    private static Attribute attribute(SignerInformation signer, int type) {
        return signer.getUnsignedAttributes().get(new ASN1ObjectIdentifier(AA + type));
    }

    private static ASN1Encodable value(SignerInformation signer, int type) {
        check(attribute(signer, type).getAttrValues().size() == 1, "one value of " + type);
        return attribute(signer, type).getAttrValues().getObjectAt(0);
    }

    private static boolean named(OtherHash hash, List<byte[]> all) throws Exception {
        return named(hash.getHashAlgorithm().getAlgorithm(), hash.getHashValue(), all);
    }

    private static boolean named(ASN1ObjectIdentifier algorithm, byte[] hash, List<byte[]> all) throws Exception {
        for (byte[] bytes : all) if (Arrays.equals(hash, digest(algorithm, bytes))) return true;
        return false;
    }

    private static byte[] digest(ASN1ObjectIdentifier algorithm, byte[] bytes) throws Exception {
        return MessageDigest.getInstance(algorithm.getId(), "BC").digest(bytes);
    }

    private static void check(boolean isSo, String claim) {
        if (!isSo) throw new IllegalStateException("not so: " + claim);
    }
}
