// SPDX-License-Identifier: Apache-2.0

package import APDU
import GOST
import Secrets
package import Storage
package import Translation

/// Why a share cannot begin, or goes on no more.
package enum ShareError: Error, Sendable, Equatable {
    /// pcscd does not serve this process.
    case readers(LinkError)
    /// No token is present, none has that name, or several do.
    case noToken
    case several([Phrase])
    /// Another program uses the token, another share for instance.
    case inUse(reader: String)
    /// The token does not identify itself, or its answer is malformed.
    case notUsable(reader: String)
    /// The token has the channel: what hosts may do cannot be limited.
    case unlimited(reader: String)
    /// The far reader could not be reached within the time.
    case unreachable(Phrase)
    /// The address is not a dotted IPv4 address.
    case invalidAddress
    /// The directory of keys and pairings.
    case storage(StorageError)
    /// The records are damaged, of a different version, or of a different token. They were left unchanged.
    case damagedRecords
    case randomUnavailable
    case cryptography
}

extension KanalError {
    init(_ error: ShareError) {
        self =
            switch error {
            case .readers(let error):
                Obstacle(error).map { KanalError.notStarted($0) }
                    ?? .refused(code: "CKR_DEVICE_ERROR", reason: "the readers cannot be used")
            case .noToken: .notFound
            case .several(let candidates): .ambiguous(candidates.map(Explanation.init))
            case .inUse(let reader):
                .refused(code: "CKR_FUNCTION_FAILED", reason: "another program uses the token in \(reader)")
            case .notUsable(let reader):
                .refused(code: "CKR_TOKEN_NOT_RECOGNIZED", reason: "the card in \(reader) does not identify itself")
            case .unlimited(let reader):
                .refused(
                    code: "CKR_FUNCTION_NOT_SUPPORTED",
                    reason: """
                        the token in \(reader) has the channel itself: a share that carries it through cannot limit what \
                        is done
                        """)
            case .unreachable(let reader):
                .refused(code: "CKR_DEVICE_REMOVED", reason: "the far reader is not reached: \(reader)")
            case .invalidAddress: .invalidArgument("the address of the far reader is not a dotted IPv4 address")
            case .storage(let error):
                .refused(code: "CKR_FUNCTION_FAILED", reason: "the share's directory cannot be used: \(error)")
            case .damagedRecords:
                .refused(
                    code: "CKR_FUNCTION_FAILED",
                    reason: "the share's records of this token are damaged; they were left untouched")
            case .randomUnavailable: .refused(code: "CKR_HOST_MEMORY", reason: "the system provides no random bytes")
            case .cryptography: .refused(code: "CKR_GENERAL_ERROR", reason: "a cryptographic primitive failed")
            }
    }
}
