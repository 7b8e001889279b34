// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.nio.file.*;
import java.security.*;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.util.*;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x509.*;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.*;
import org.bouncycastle.cert.jcajce.*;
import org.bouncycastle.cms.*;
import org.bouncycastle.cms.jcajce.*;
import org.bouncycastle.jcajce.spec.GOST3410ParameterSpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.jcajce.*;

/** Maker DIRECTORY: keys, certificates, messages and a PFX file by BouncyCastle, with its defaults. */
public class Maker {
    static Path directory;

    static void write(String name, byte[] bytes) throws Exception { Files.write(directory.resolve(name), bytes); }

    static X509CertificateHolder certificate(KeyPair pair, String algorithm, String name) throws Exception {
        Date begin = new Date(1735689600000L), end = new Date(4102444800000L);
        X500Name subject = new X500Name("CN=" + name);
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
            subject, java.math.BigInteger.valueOf(7), begin, end, subject, pair.getPublic());
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        builder.addExtension(
            Extension.subjectKeyIdentifier, false, new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
        return builder.build(new JcaContentSignerBuilder(algorithm).setProvider("BC").build(pair.getPrivate()));
    }

    static CMSSignedDataGenerator generator(
        KeyPair pair, String algorithm, X509CertificateHolder certificate, boolean byKey) throws Exception {
        var builder = new JcaSignerInfoGeneratorBuilder(new JcaDigestCalculatorProviderBuilder().setProvider("BC").build());
        var signer = new JcaContentSignerBuilder(algorithm).setProvider("BC").build(pair.getPrivate());
        byte[] identifier = SubjectKeyIdentifier.fromExtensions(certificate.getExtensions()).getKeyIdentifier();
        CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
        generator.addSignerInfoGenerator(byKey ? builder.build(signer, identifier) : builder.build(signer, certificate));
        generator.addCertificate(certificate);
        return generator;
    }

    /** To the recipient by a key that is made for this message. */
    static byte[] agreed(
        CMSProcessableByteArray content, KeyPair pair, X509CertificateHolder recipient, ASN1ObjectIdentifier agreement
    ) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("ECGOST3410-2012", "BC");
        generator.initialize(((ECPublicKey) pair.getPublic()).getParams());
        KeyPair sender = generator.generateKeyPair();
        byte[] material = new byte[8];
        new SecureRandom().nextBytes(material);
        CMSEnvelopedDataGenerator enveloped = new CMSEnvelopedDataGenerator();
        enveloped.addRecipientInfoGenerator(
            new JceKeyAgreeRecipientInfoGenerator(
                agreement, sender.getPrivate(), sender.getPublic(), CMSAlgorithm.GOST28147_CRYPTOPRO_WRAP)
                .setUserKeyingMaterial(material)
                .addRecipient(new JcaX509CertificateConverter().setProvider("BC").getCertificate(recipient))
                .setProvider("BC"));
        return enveloped.generate(
            content, new JceCMSContentEncryptorBuilder(CMSAlgorithm.GOST28147_GCFB).setProvider("BC").build()).getEncoded();
    }

    public static void main(String[] arguments) throws Exception {
        directory = Paths.get(arguments[0]);
        Security.addProvider(new BouncyCastleProvider());
        CMSProcessableByteArray content = new CMSProcessableByteArray("content of a test\n".getBytes());

        KeyPairGenerator gost = KeyPairGenerator.getInstance("ECGOST3410-2012", "BC");
        gost.initialize(new GOST3410ParameterSpec("Tc26-Gost-3410-12-512-paramSetA"));
        KeyPair longPair = gost.generateKeyPair();
        X509CertificateHolder longCertificate = certificate(longPair, "GOST3411-2012-512WITHECGOST3410-2012-512", "BouncyCastle 512");
        // 2012 on a curve of 2001: the certificate names the hash function of 2001.
        gost.initialize(new GOST3410ParameterSpec("GostR3410-2001-CryptoPro-A"));
        KeyPair pair = gost.generateKeyPair();
        String algorithm = "GOST3411-2012-256WITHECGOST3410-2012-256";
        X509CertificateHolder certificate = certificate(pair, algorithm, "BouncyCastle 256");
        write("bouncycastle-256.cer", certificate.getEncoded());
        write("bouncycastle-256.key", pair.getPrivate().getEncoded());
        write("bouncycastle-512.cer", longCertificate.getEncoded());
        write("bouncycastle-512.key", longPair.getPrivate().getEncoded());

        write("bouncycastle-attached.p7m", generator(pair, algorithm, certificate, false).generate(content, true).getEncoded());
        write("bouncycastle-detached.p7s", generator(pair, algorithm, certificate, false).generate(content, false).getEncoded());
        write("bouncycastle-key-id.p7s", generator(pair, algorithm, certificate, true).generate(content, false).getEncoded());
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        CMSSignedDataStreamGenerator streaming = new CMSSignedDataStreamGenerator();
        var builder = new JcaSignerInfoGeneratorBuilder(new JcaDigestCalculatorProviderBuilder().setProvider("BC").build());
        streaming.addSignerInfoGenerator(builder.build(
            new JcaContentSignerBuilder("GOST3411-2012-512WITHECGOST3410-2012-512").setProvider("BC").build(longPair.getPrivate()),
            longCertificate));
        streaming.addCertificate(longCertificate);
        try (OutputStream open = streaming.open(stream, true)) { content.write(open); }
        write("bouncycastle-stream.p7m", stream.toByteArray());
        CMSSignedDataGenerator certificates = new CMSSignedDataGenerator();
        certificates.addCertificate(certificate);
        certificates.addCertificate(longCertificate);
        write("bouncycastle-certificates.p7b", certificates.generate(new CMSAbsentContent()).getEncoded());

        write("bouncycastle-agreed-256.p7m", agreed(content, pair, certificate, CMSAlgorithm.ECDHGOST3410_2012_256));
        write("bouncycastle-agreed-512.p7m", agreed(content, longPair, longCertificate, CMSAlgorithm.ECDHGOST3410_2012_512));

        KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA", "BC");
        rsa.initialize(2048);
        KeyPair rsaPair = rsa.generateKeyPair();
        X509CertificateHolder rsaCertificate = certificate(rsaPair, "SHA256withRSA", "BouncyCastle RSA");
        write("bouncycastle-rsa.cer", rsaCertificate.getEncoded());
        write("bouncycastle-pss.p7s",
            generator(rsaPair, "SHA256withRSAandMGF1", rsaCertificate, false).generate(content, false).getEncoded());
        for (boolean isGOST : new boolean[] {false, true}) {
            KeyStore store = KeyStore.getInstance("PKCS12", "BC");
            store.load(null, null);
            X509Certificate holder = new JcaX509CertificateConverter().setProvider("BC")
                .getCertificate(isGOST ? certificate : rsaCertificate);
            store.setKeyEntry("own", isGOST ? pair.getPrivate() : rsaPair.getPrivate(), null,
                new java.security.cert.Certificate[] {holder});
            try (ByteArrayOutputStream out = new ByteArrayOutputStream()) {
                store.store(out, "12345678".toCharArray());
                write(isGOST ? "bouncycastle-gost.pfx" : "bouncycastle-rsa.pfx", out.toByteArray());
            }
        }
    }
}
