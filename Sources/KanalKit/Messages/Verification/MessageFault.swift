// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import Locking
package import Translation

/// Why a signed message is not accepted.
public enum MessageFault: Sendable, Equatable {
    /// Not a signed message, truncated, or not DER where DER is required.
    case malformed
    /// A version, the name of an algorithm or a certificate in the message is not as RFC 5652 requires. A verifier without
    /// ``MessageVerifier/requiresOrder`` passes over that.
    case notInOrder
    /// The content is neither in the message nor beside it.
    case noContent
    /// The message has its content in it, and another one was given.
    case ownContent
    /// The message has no signers.
    case noSigner
    /// A signer's certificate is missing, or the signature names a different one.
    case noCertificate
    /// The content is not the signed one.
    case wrongContent
    /// A signature is wrong; without signed attributes, or the content is.
    case wrongSignature
    /// A signature by MD5 or SHA-1, by RSA below 1024 bits, or by an unknown algorithm.
    case weakAlgorithm
    /// The signed attributes cannot be read, do not belong to this type of content, or could be meant as a content.
    case wrongAttributes
    /// There are too many signers and certificates to try all.
    case tooManySignatures
    /// A countersignature is wrong, or cannot be read.
    case wrongCountersignature
    /// The certificate has signed the message already.
    case alreadySigned
    /// All signatures have the form already that the message was to be raised to.
    case hasForm
    /// A signature has parts of X Long type 1 already, by another program.
    case hasPartOfForm
    /// All signatures are good, and not every signer has a path to a trusted certificate. The associated value has the
    /// signers that they claim to be, with the reasons (``MessageSigner/distrust``).
    case untrusted([MessageSigner])

    init(_ fault: SignerVerification.Fault?) {
        self =
            switch fault {
            case .noSigner: .noSigner
            case .certificate: .noCertificate
            case .content: .wrongContent
            case .signature: .wrongSignature
            case .weakAlgorithm: .weakAlgorithm
            case .attributes: .wrongAttributes
            case .limit: .tooManySignatures
            case .order: .notInOrder
            case .unannouncedHash, nil: .malformed
            }
    }
}

extension MessageFault: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .malformed: "it is not a signed message, or is damaged or truncated"
        case .notInOrder: "a version, the name of an algorithm or a certificate in it is not as RFC 5652 requires"
        case .noContent: "it has no content, and none was given"
        case .ownContent: "it contains its content, but a different file was given"
        case .noSigner: "it has no signature"
        case .noCertificate: "a signer's certificate is missing, or not the one that the signature names"
        case .wrongContent: "the content differs from what was signed"
        case .wrongSignature: "a signature is wrong"
        case .weakAlgorithm: "a signature is by an algorithm or a key that is weak or not known"
        case .wrongAttributes: "the signed attributes are not in order"
        case .tooManySignatures: "verifying it would need too many signature checks"
        case .wrongCountersignature: "a countersignature is wrong"
        case .alreadySigned: "the certificate has signed it already"
        case .hasForm: "it has this form already"
        case .hasPartOfForm:
            "a signature has some of the references of X Long type 1 already, to which none can be added"
        case .untrusted(let signers): Self.explanation(untrusted: signers)
        }
    }
}
