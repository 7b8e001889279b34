// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// An authority's reply to a request for a time stamp (RFC 3161, 2.4.2).
package struct TimeStampResponse: Sendable {
    package let token: TimeStampToken

    /// Reads a reply. A stamp that was granted with modifications is granted.
    ///
    /// - Parameter reply: The TimeStampResp in DER.
    /// - Throws: ``TimeStampFault/malformed``; ``TimeStampFault/refused(_:)``.
    package init(reply: [UInt8]) throws(TimeStampFault) {
        let status: Status
        do throws(GOSTError) { status = try Status(reply) } catch { throw .malformed }
        guard status.number <= 1 else { throw .refused(status.refusal) }
        guard let token = status.token else { throw .malformed }
        self.token = try TimeStampToken(token)
    }

    /// Whether bytes have the form of a reply.
    package static func isReply(_ bytes: [UInt8]) -> Bool { (try? Status(bytes)) != nil }

    /// The PKIStatusInfo, and the token beside it.
    private struct Status {
        let number: UInt8
        let text: String?
        let reason: TimeStampFault.Refusal.Reason?
        /// The ContentInfo in BER.
        let token: [UInt8]?

        var refusal: TimeStampFault.Refusal { TimeStampFault.Refusal(status: number, reason: reason, text: text) }

        init(_ reply: [UInt8]) throws(GOSTError) {
            var reader = DERReader(reply.span, .ber)
            var fields = try reader.nested(.sequence)
            try reader.end()
            var info = try fields.nested(.sequence)
            let status = try info.contents(.integer)
            guard status.count == 1, status[0] <= 5 else { throw .invalidEncoding }
            number = status[0]
            text = info.isAt(.sequence) ? try Self.text(&info) : nil
            reason = info.isAt(.bitString) ? try Self.reason(&info) : nil
            try info.end()
            token = fields.isAt(.sequence) ? [UInt8](copying: try fields.element(.sequence)) : nil
            try fields.end()
        }

        /// PKIFreeText, to a length that a line has room for.
        private static func text(_ info: inout DERReader) throws(GOSTError) -> String? {
            var list = try info.nested(.sequence)
            var words: [String] = []
            while !list.isAtEnd { words.append(String(decoding: try list.bytes(.utf8String), as: UTF8.self)) }
            return words.isEmpty ? nil : String(words.joined(separator: "; ").prefix(200))
        }

        private static func reason(_ info: inout DERReader) throws(GOSTError) -> TimeStampFault.Refusal.Reason? {
            let bits = [UInt8](copying: try info.contents(.bitString)).dropFirst()
            return TimeStampFault.Refusal.Reason.allCases.first { reason in
                let place = bits.startIndex + reason.rawValue / 8
                return bits.indices.contains(place) && bits[place] & 0x80 >> UInt8(reason.rawValue % 8) != 0
            }
        }
    }
}
