// SPDX-License-Identifier: Apache-2.0

import GOST

/// The state of one certificate in a response, SingleResponse (RFC 6960, 4.2.1). Times are in seconds since 1970.
package struct OCSPAnswer: Sendable, Equatable {
    /// CertStatus.
    package enum State: Sendable, Equatable {
        case good
        /// Since this time.
        case revoked(Int)
        /// The responder does not know the certificate.
        case unknown
    }

    let identifier: OCSPCertificateID
    package let state: State
    /// The reason of a revocation (RFC 5280, 5.3.1), if it is stated.
    let reason: UInt8?
    /// The time at which the state was known to be right.
    package let thisUpdate: Int
    /// When newer information is due; nil if it is available at any time.
    package let nextUpdate: Int?
    /// Whether it has no critical extension, none of which is heeded here.
    let isUnderstood: Bool

    /// The number of seconds by which the clocks of responder and reader may differ.
    static let clockDifference = 300
    /// The number of seconds for which an answer without nextUpdate counts.
    static let lifetime = 24 * 3600

    init(_ reader: inout DERReader) throws(GOSTError) {
        var fields = try reader.nested(.sequence)
        identifier = try OCSPCertificateID(&fields)
        var reason: UInt8?
        if fields.isAt(.context1) {
            var revoked = try fields.nested(.context1)
            state = .revoked(try revoked.generalizedTime())
            if revoked.isAt(.context0) {
                var explicit = try revoked.nested(.context0)
                reason = try explicit.revocationReason()
            }
        } else if fields.isAt(.contextPrimitive2) {
            _ = try fields.contents(.contextPrimitive2)
            state = .unknown
        } else {
            guard try fields.contents(.contextPrimitive0).isEmpty else { throw .invalidEncoding }
            state = .good
        }
        self.reason = reason
        thisUpdate = try fields.generalizedTime()
        var next: Int?
        if fields.isAt(.context0) {
            var explicit = try fields.nested(.context0)
            next = try explicit.generalizedTime()
            try explicit.end()
        }
        nextUpdate = next
        var isUnderstood = true
        if fields.isAt(.context1) {
            var explicit = try fields.nested(.context1)
            var extensions = try explicit.nested(.sequence)
            while !extensions.isAtEnd { if try extensions.extension().isCritical { isUnderstood = false } }
        }
        self.isUnderstood = isUnderstood
        try fields.end()
    }

    /// - Parameter signer: The certificate of the responder. One that has expired speaks no more, whatever it has announced.
    /// - Throws: ``OCSPFault/notYetValid(_:)``; ``OCSPFault/outdated(_:)``.
    func requireCurrent(at time: Int, signer: Certificate) throws(OCSPFault) {
        guard thisUpdate <= time + Self.clockDifference else { throw .notYetValid(thisUpdate) }
        var end = nextUpdate ?? thisUpdate + Self.lifetime
        if let validity = try? signer.validity { end = min(end, validity.notAfter) }
        guard end >= time - Self.clockDifference else { throw .outdated(end) }
    }
}
