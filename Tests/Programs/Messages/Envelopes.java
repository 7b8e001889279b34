// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.nio.file.*;
import java.security.*;
import java.security.cert.*;
import java.security.spec.PKCS8EncodedKeySpec;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.cms.*;
import org.bouncycastle.cms.jcajce.*;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/**
 * Envelopes encrypt CIPHER CERTIFICATE CONTENT MESSAGE, Envelopes decrypt ALGORITHM KEY MESSAGE CONTENT: encrypted messages
 * by BouncyCastle. The cipher is cbc, gcm or gost, the key PKCS #8 in DER.
 */
public class Envelopes {
    static byte[] read(String name) throws Exception { return Files.readAllBytes(Paths.get(name)); }

    static void encrypt(String cipher, X509Certificate certificate, byte[] content, Path result) throws Exception {
        RecipientInfoGenerator recipient;
        if (certificate.getPublicKey().getAlgorithm().equals("EC")) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", "BC");
            generator.initialize(((java.security.interfaces.ECPublicKey) certificate.getPublicKey()).getParams());
            KeyPair own = generator.generateKeyPair();
            recipient = new JceKeyAgreeRecipientInfoGenerator(
                CMSAlgorithm.ECDH_SHA256KDF, own.getPrivate(), own.getPublic(), CMSAlgorithm.AES256_WRAP)
                .addRecipient(certificate).setProvider("BC");
        } else {
            recipient = new JceKeyTransRecipientInfoGenerator(certificate).setProvider("BC");
        }
        CMSTypedData data = new CMSProcessableByteArray(content);
        if (cipher.equals("gcm")) {
            CMSAuthEnvelopedDataGenerator generator = new CMSAuthEnvelopedDataGenerator();
            generator.addRecipientInfoGenerator(recipient);
            var encryptor = new JceCMSContentEncryptorBuilder(CMSAlgorithm.AES256_GCM).setProvider("BC").build();
            Files.write(result, generator.generate(data, (org.bouncycastle.operator.OutputAEADEncryptor) encryptor).getEncoded());
            return;
        }
        ASN1ObjectIdentifier algorithm = cipher.equals("gost") ? CMSAlgorithm.GOST28147_GCFB : CMSAlgorithm.AES256_CBC;
        CMSEnvelopedDataGenerator generator = new CMSEnvelopedDataGenerator();
        generator.addRecipientInfoGenerator(recipient);
        Files.write(
            result, generator.generate(data, new JceCMSContentEncryptorBuilder(algorithm).setProvider("BC").build()).getEncoded());
    }

    static byte[] decrypt(PrivateKey key, byte[] message) throws Exception {
        RecipientInformationStore recipients = isAuthenticated(message)
            ? new CMSAuthEnvelopedData(message).getRecipientInfos() : new CMSEnvelopedData(message).getRecipientInfos();
        Exception refusal = new Exception("no recipient");
        for (RecipientInformation information : recipients) {
            try {
                // 1.72 has no recipient for key agreement with GCM.
                if (information instanceof KeyAgreeRecipientInformation)
                    return information.getContent(new JceKeyAgreeEnvelopedRecipient(key).setProvider("BC"));
                return information.getContent(isAuthenticated(message)
                    ? new JceKeyTransAuthEnvelopedRecipient(key).setProvider("BC")
                    : new JceKeyTransEnvelopedRecipient(key).setProvider("BC"));
            } catch (Exception error) {
                refusal = error;
            }
        }
        throw refusal;
    }

    static boolean isAuthenticated(byte[] message) {
        var info = org.bouncycastle.asn1.cms.ContentInfo.getInstance(message);
        return info.getContentType().equals(org.bouncycastle.asn1.cms.CMSObjectIdentifiers.authEnvelopedData);
    }

    public static void main(String[] arguments) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        if (arguments[0].equals("encrypt")) {
            var certificate = (X509Certificate) CertificateFactory.getInstance("X.509", "BC")
                .generateCertificate(new ByteArrayInputStream(read(arguments[2])));
            encrypt(arguments[1], certificate, read(arguments[3]), Paths.get(arguments[4]));
        } else {
            PrivateKey key = KeyFactory.getInstance(arguments[1], "BC")
                .generatePrivate(new PKCS8EncodedKeySpec(read(arguments[2])));
            Files.write(Paths.get(arguments[4]), decrypt(key, read(arguments[3])));
        }
    }
}
