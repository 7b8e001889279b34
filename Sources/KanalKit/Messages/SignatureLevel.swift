// SPDX-License-Identifier: Apache-2.0

/// The form of a signature, and with it what it proves (RFC 5126, 4.3 and 4.4; EN 319 122-1, 5.5).
public enum SignatureLevel: Sendable, Equatable {
    /// CAdES-BES: the signature covers the name of the signer's certificate.
    case bes
    /// CAdES-T: an authority's time stamp proves when the signature was there, too.
    case t
    /// CAdES-C: T, and the signature's references name the certificates of its path and the lists or responses by which they were
    /// not revoked, which are there.
    case c
    /// CAdES-X: C, and a time stamp proves when the references were there.
    case x
    /// CAdES-X Long: C, and the message has all certificates, lists and responses in it.
    case xLong
    /// CAdES-X Long type 1: X Long, and a time stamp proves when the signature and its references were there.
    case xLongType1
    /// CAdES-A: an archive time stamp (version 3) proves when all of the message was there, also the time stamp of the
    /// signature.
    case a
}
