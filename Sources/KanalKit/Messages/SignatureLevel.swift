// SPDX-License-Identifier: Apache-2.0

/// The form of a signature, and with it what it proves (RFC 5126, 4.3 and 4.4; EN 319 122-1, 5.5).
public enum SignatureLevel: Sendable, Equatable {
    /// CAdES-BES: the signature covers the name of the signer's certificate.
    case bes
    /// CAdES-T: an authority's time stamp proves when the signature was there, too.
    case t
    /// CAdES-A: an archive time stamp (version 3) proves when all of the message was there, also the time stamp of the
    /// signature.
    case a
}
