// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The certificates, lists and responses that a message brings for its signers' paths: in certificate-values and revocation-values,
/// and among the message's own lists (RFC 5652, 10.2.1; RFC 5940, 2.1). Values that cannot be read are ignored.
package struct MessageValues: Sendable {
    /// In DER.
    let certificates: [[UInt8]]
    let lists: [RevocationList]
    let responses: [OCSPResponse]

    /// The greatest number of each that is read.
    private static let limit = 128

    package init() { (certificates, lists, responses) = ([], [], []) }

    package init(_ message: SignedData) {
        var (certificates, lists, responses): ([[UInt8]], [[UInt8]], [[UInt8]]) = ([], [], [])
        for signer in message.signers {
            if let value = try? signer.value(of: .certificateValues), let read = try? CertificateValues(der: value) {
                certificates += read.certificates
            }
            if let value = try? signer.value(of: .revocationValues), let read = try? RevocationValues(der: value) {
                lists += read.lists
                responses += read.responses
            }
            guard max(certificates.count, lists.count, responses.count) <= Self.limit else { break }
        }
        for info in message.revocationInfo where info.first == DERTag.sequence.rawValue { lists.append(info) }
        for info in message.revocationInfo { (try? Self.response(in: info)).map { responses.append($0) } }
        self.certificates = Array(certificates.prefix(Self.limit))
        self.lists = lists.prefix(Self.limit).compactMap { try? RevocationList(der: $0) }
        self.responses = responses.prefix(Self.limit).compactMap { der in
            (try? OCSPResponse(der: der)) ?? (try? OCSPResponse(reply: der))
        }
    }

    /// The OCSPResponse of OtherRevocationInfoFormat.
    private static func response(in info: [UInt8]) throws(GOSTError) -> [UInt8] {
        var reader = DERReader(info.span, .ber)
        var fields = try reader.nested(.context1)
        guard try fields.objectIdentifier() == ocspResponse else { throw .invalidParameter }
        return [UInt8](copying: try fields.element(.sequence))
    }

    /// 1.3.6.1.5.5.7.16.2
    private static let ocspResponse = DERTag.objectIdentifier.element([0x2B, 6, 1, 5, 5, 7, 16, 2])
}

extension PathEvidence {
    /// Whether each certificate but the last, which is trusted, has a statement.
    package var isComplete: Bool { links.count > 1 && links.dropLast().allSatisfy { $0.state != nil } }

    /// The time, in seconds since 1970, as of which it is stated that the first certificate is not revoked; nil without a statement.
    ///
    /// - Parameter time: When the path was valid. A statement of a later revocation states that it was not revoked then.
    package func statedTime(at time: Int) -> Int? {
        guard links.count > 1, let state = links.first?.state else { return nil }
        return switch state {
        case .list(_, asOf: let statedTime), .response(_, signer: _, asOf: let statedTime): statedTime ?? time
        }
    }
}

extension SignedData.Signer {
    /// Whether its references name all of a path: the certificates from the issuer on, and a statement for each certificate but the
    /// trusted one.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func namesAll(of path: PathEvidence) throws(HostCryptoError) -> Bool {
        guard path.isComplete, let certificates = try? value(of: .certificateReferences),
            let states = try? value(of: .revocationReferences),
            let certificateNames = try? CertificateReferences(der: certificates),
            let stateNames = try? RevocationReferences(der: states),
            try certificateNames.name(all: path.links.dropFirst().map(\.certificate))
        else { return false }
        for state in path.links.compactMap(\.state) where try !stateNames.names(state) { return false }
        return true
    }

    /// Whether it has values of certificates and of statements about them.
    package var hasValues: Bool {
        [LongTermAttribute.certificateValues, .revocationValues].allSatisfy { (try? value(of: $0)) != nil }
    }
}
