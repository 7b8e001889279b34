// SPDX-License-Identifier: Apache-2.0

extension PFX {
    /// The name of what a file can have in it and is not supported, by its object identifier in dotted decimal; nil for
    /// what is not known.
    package static func name(ofUnsupported identifier: String) -> String? { unsupportedNames[identifier] }

    private static let unsupportedNames = [
        // Encryption under a password (RFC 8018, A.3; RFC 7292, C; RFC 7914, 7).
        "1.2.840.113549.1.5.1": "pbeWithMD2AndDES-CBC", "1.2.840.113549.1.5.3": "pbeWithMD5AndDES-CBC",
        "1.2.840.113549.1.5.4": "pbeWithMD2AndRC2-CBC", "1.2.840.113549.1.5.6": "pbeWithMD5AndRC2-CBC",
        "1.2.840.113549.1.5.10": "pbeWithSHA1AndDES-CBC", "1.2.840.113549.1.5.11": "pbeWithSHA1AndRC2-CBC",
        "1.2.840.113549.1.12.1.1": "pbeWithSHAAnd128BitRC4", "1.2.840.113549.1.12.1.2": "pbeWithSHAAnd40BitRC4",
        "1.3.6.1.4.1.11591.4.11": "scrypt",
        // Ciphers of PBES2.
        "1.3.14.3.2.7": "desCBC", "1.2.840.113549.3.2": "rc2CBC", "1.2.840.113549.3.4": "rc4",
        "2.16.840.1.101.3.4.1.6": "AES-128-GCM", "2.16.840.1.101.3.4.1.26": "AES-192-GCM",
        "2.16.840.1.101.3.4.1.46": "AES-256-GCM", "1.2.392.200011.61.1.1.1.2": "Camellia-128-CBC",
        "1.2.392.200011.61.1.1.1.3": "Camellia-192-CBC", "1.2.392.200011.61.1.1.1.4": "Camellia-256-CBC",
        "1.2.410.200004.1.4": "SEED-CBC", "1.2.156.10197.1.104.2": "SM4-CBC",
        // Hash functions and codes.
        "1.3.36.3.2.1": "RIPEMD-160", "2.16.840.1.101.3.4.2.7": "SHA3-224", "2.16.840.1.101.3.4.2.8": "SHA3-256",
        "2.16.840.1.101.3.4.2.9": "SHA3-384", "2.16.840.1.101.3.4.2.10": "SHA3-512",
        "2.16.840.1.101.3.4.2.13": "HMAC-SHA3-224", "2.16.840.1.101.3.4.2.14": "HMAC-SHA3-256",
        "2.16.840.1.101.3.4.2.15": "HMAC-SHA3-384", "2.16.840.1.101.3.4.2.16": "HMAC-SHA3-512",
        // Keys and curves.
        "1.3.101.110": "X25519", "1.3.101.111": "X448", "1.3.101.112": "Ed25519", "1.3.101.113": "Ed448",
        "1.2.840.10040.4.1": "DSA", "1.2.840.10046.2.1": "DH", "1.2.840.113549.1.3.1": "DH",
        "1.2.840.113549.1.1.10": "RSASSA-PSS", "1.2.156.10197.1.301": "SM2", "1.3.132.0.33": "secp224r1",
        "1.3.36.3.3.2.8.1.1.7": "brainpoolP256r1", "1.3.36.3.3.2.8.1.1.11": "brainpoolP384r1",
        "1.3.36.3.3.2.8.1.1.13": "brainpoolP512r1", "1.2.643.2.2.20": "GOST R 34.10-94",
        // Forms of contents.
        "1.2.840.113549.1.7.2": "signed data", "1.2.840.113549.1.7.3": "enveloped data",
        "1.2.840.113549.1.9.22.2": "SDSI certificate", "1.2.840.113549.1.12.10.1.6": "safe contents",
    ]
}
