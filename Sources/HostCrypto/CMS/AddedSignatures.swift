// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The signatures that a message gets, and the unsigned attributes that its signers get.
package struct AddedSignatures: Sendable {
    var algorithms: [[UInt8]] = []
    var certificates: [[UInt8]] = []
    var signers: [[UInt8]] = []
    /// In DER, by the numbers of the signers that they are for.
    var unsignedAttributes: [Int: [[UInt8]]] = [:]

    package init() {}

    /// Adds a signer, with the certificates that go with it.
    ///
    /// - Parameter signature: As PKCS #11 has it.
    package mutating func add(_ message: SignedMessage, signature: [UInt8]) throws(HostCryptoError) {
        signers.append(try message.signerInfo(signature))
        algorithms.append(message.digestIdentifier)
        certificates += message.certificates
    }

    /// Adds unsigned attributes, in DER, to a signer by its number.
    package mutating func add(_ attributes: [[UInt8]], to signer: Int) {
        guard !attributes.isEmpty else { return }
        unsignedAttributes[signer, default: []] += attributes
    }

    /// Whether nothing is added.
    package var isEmpty: Bool { signers.isEmpty && unsignedAttributes.isEmpty }

    /// Adds a countersignature of a signer by its number, in an attribute of its own (RFC 5652, 11.4).
    package mutating func countersign(
        _ signer: Int, _ message: SignedMessage, signature: [UInt8]
    ) throws(HostCryptoError) {
        let value = DERTag.set.element(try message.signerInfo(signature))
        add([DERTag.sequence.element(CMS.countersignature + value)], to: signer)
        certificates += message.certificates
    }
}
