// SPDX-License-Identifier: Apache-2.0
import Secrets

/// A wrapped key of GOST 28147-89 on its way to the holder of a private key: GostR3410-KeyTransport (RFC 4490, 4.2;
/// RFC 4357, 6.3).
package struct KeyTransport: Sendable, Equatable {
    /// UKM ‖ CEK_ENC ‖ CEK_MAC, as ``GOST28147KeyWrap/cryptoPro`` has them: 44 bytes.
    package let wrapped: [UInt8]
    /// The substitution that the key is wrapped with.
    package let sBox: SBox
    /// The sender's key that was made for this only; nil if the receiver knows the sender's key.
    package let ephemeralKey: SubjectPublicKeyInfo?

    /// - Throws: ``GOSTError/invalidLength`` unless `wrapped` has 44 bytes.
    package init(wrapped: [UInt8], sBox: SBox, ephemeralKey: SubjectPublicKeyInfo?) throws(GOSTError) {
        guard wrapped.count == 44 else { throw .invalidLength }
        self.wrapped = wrapped
        self.sBox = sBox
        self.ephemeralKey = ephemeralKey
    }

    /// Reads the structure, without mask.
    ///
    /// - Parameter der: The whole of the structure in DER, and nothing behind it.
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidLength`` for the length of a part;
    ///   ``GOSTError/invalidParameter`` for an unknown substitution; what ``SubjectPublicKeyInfo/init(der:)`` throws.
    package init(der: Span<UInt8>) throws(GOSTError) {
        var reader = DERReader(der)
        var transport = DERReader(try reader.contents(.sequence))
        try reader.end()
        var encrypted = DERReader(try transport.contents(.sequence))
        let key = [UInt8](copying: try encrypted.contents(.octetString))
        let code = [UInt8](copying: try encrypted.contents(.octetString))
        try encrypted.end()
        var parameters = DERReader(try transport.contents(.context0))
        try transport.end()
        let oid = try parameters.objectIdentifier()
        var ephemeralKey: SubjectPublicKeyInfo?
        if parameters.isAt(.context0) {
            // The tag replaces the SEQUENCE's.
            let info = DERTag.sequence.element([UInt8](copying: try parameters.contents(.context0)))
            ephemeralKey = try SubjectPublicKeyInfo(der: info.span)
        }
        let ukm = [UInt8](copying: try parameters.contents(.octetString))
        try parameters.end()
        guard key.count == 32, code.count == 4, ukm.count == 8 else { throw .invalidLength }
        guard let sBox = SBox.all.first(where: { $0.oid == oid }) else { throw .invalidParameter }
        try self.init(wrapped: ukm + key + code, sBox: sBox, ephemeralKey: ephemeralKey)
    }

    /// The structure in DER.
    package var der: [UInt8] {
        let (ukm, key, code) = (Array(wrapped[..<8]), Array(wrapped[8..<40]), Array(wrapped[40...]))
        let encrypted = DERTag.sequence.element(DERTag.octetString.element(key) + DERTag.octetString.element(code))
        var parameters = sBox.oid
        if let ephemeralKey { parameters += DERTag.context0.element(ephemeralKey.contents) }
        parameters += DERTag.octetString.element(ukm)
        return DERTag.sequence.element(encrypted + DERTag.context0.element(parameters))
    }
}
