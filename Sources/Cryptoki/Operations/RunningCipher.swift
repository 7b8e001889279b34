// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A cipher of GOST in a mode that takes a message in pieces.
final class RunningCipher: CipherState {
    private var message: CipherMessage
    private let direction: CipherDirection
    let granularity: Int?

    init(_ message: consuming CipherMessage, _ direction: CipherDirection) {
        granularity = message.granularity
        self.message = message
        self.direction = direction
    }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        do throws(GOSTError) {
            return direction == .encryption ? try message.encrypt(data) : try message.decrypt(data)
        } catch {
            throw direction.lengthRange
        }
    }
}
