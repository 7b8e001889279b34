// SPDX-License-Identifier: Apache-2.0

/// The encoding of a signature. All but ECDSA signatures are the same in each form.
public enum SignatureForm: Sendable, Hashable {
    /// As PKCS #11 has it: of ECDSA r and s, big-endian, one behind the other.
    case pkcs11
    /// As X.509, CMS and OpenSSL have it: of ECDSA an ECDSA-Sig-Value in DER (RFC 3279, 2.2.3).
    case x509
}
