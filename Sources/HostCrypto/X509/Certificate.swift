// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The fields of an X.509 certificate that the attributes of a certificate object need (RFC 5280, 4.1; PKCS #11 v2.40,
/// 4.6.3).
///
/// Its algorithms may be any.
package struct Certificate: Sendable, Equatable {
    /// The whole certificate in DER.
    package let der: [UInt8]
    /// The INTEGER in DER: `CKA_SERIAL_NUMBER`.
    package let serialNumber: [UInt8]
    /// The Name in DER: `CKA_ISSUER`.
    package let issuer: [UInt8]
    /// The Name in DER: `CKA_SUBJECT`.
    package let subject: [UInt8]
    /// The two times of the Validity in DER.
    private let times: [UInt8]
    /// The SubjectPublicKeyInfo in DER: `CKA_PUBLIC_KEY_INFO`. `PublicKeyInfo` reads it.
    package let subjectPublicKeyInfo: [UInt8]
    /// The Extensions in DER; empty if missing.
    let extensions: [UInt8]
    let structure: SignedStructure

    /// Reads a certificate.
    ///
    /// - Parameter octets: The certificate in DER. Bytes behind it are ignored, as libcrypto's `d2i_X509` does.
    /// - Throws: ``HostCryptoError/invalidEncoding``.
    package init(der octets: Span<UInt8>) throws(HostCryptoError) {
        do throws(GOSTError) { try self.init(reading: octets) } catch { throw .invalidEncoding }
    }

    private init(reading octets: Span<UInt8>) throws(GOSTError) {
        var first = DERReader(octets)
        der = [UInt8](copying: try first.element(.sequence))
        var reader = DERReader(octets)
        let contents = try reader.contents(.sequence)
        var structure = try SignedStructure(contents)
        let signed = structure.content
        var outer = DERReader(signed.span)
        var content = DERReader(try outer.contents(.sequence))
        if content.isAt(.context0) { _ = try content.contents(.context0) }
        serialNumber = [UInt8](copying: try content.element(.integer))
        guard serialNumber.count > 2 else { throw .invalidEncoding }
        try structure.takeAlgorithm(&content)
        self.structure = structure
        issuer = [UInt8](copying: try content.element(.sequence))
        times = [UInt8](copying: try content.contents(.sequence))
        subject = [UInt8](copying: try content.element(.sequence))
        subjectPublicKeyInfo = [UInt8](copying: try content.element(.sequence))
        for tag in [DERTag.issuerUniqueID, .subjectUniqueID] where content.isAt(tag) {
            _ = try content.contents(tag)
        }
        extensions = content.isAt(.context3) ? [UInt8](copying: try content.contents(.context3)) : []
        try content.end()
    }

    /// When the certificate begins and ends to be valid, in seconds since 1970.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding`` also for times that RFC 5280, 4.1.2.5, has no form for.
    package var validity: (notBefore: Int, notAfter: Int) {
        get throws(HostCryptoError) {
            do throws(GOSTError) {
                var reader = DERReader(times.span)
                let notBefore = try Self.time(&reader)
                let notAfter = try Self.time(&reader)
                try reader.end()
                return (notBefore, notAfter)
            } catch {
                throw .invalidEncoding
            }
        }
    }

    private static func time(_ reader: inout DERReader) throws(GOSTError) -> Int {
        let tag = reader.isAt(.utcTime) ? DERTag.utcTime : .generalizedTime
        let der = [UInt8](copying: try reader.element(tag))
        guard let seconds = CalendarTime.seconds(of: der) else { throw .invalidEncoding }
        return seconds
    }

    /// Whether the certificate is signed with a key.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func isSigned(with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        try structure.isSigned(with: key, digest: structure.digest())
    }
}
