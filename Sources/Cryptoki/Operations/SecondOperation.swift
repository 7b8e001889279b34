// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// The second operation of a dual function, beside an encryption or decryption.
package enum SecondOperation: Sendable {
    case digest, sign, verify
}

extension Session {
    /// Encrypts or decrypts a further part, and passes its plaintext to the second operation.
    package func dualUpdate(
        _ part: Span<UInt8>, _ direction: CipherDirection, _ second: SecondOperation
    ) throws(CKError) -> Secret {
        guard direction == .decryption else {
            try update(second, with: part)
            return try cipherUpdate(part, direction)
        }
        let plaintext = try cipherUpdate(part, direction)
        try update(second, with: plaintext)
        return plaintext
    }

    private func update(_ operation: SecondOperation, with plaintext: borrowing Secret) throws(CKError) {
        try update(operation, with: plaintext.bytes)
    }

    private func update(_ operation: SecondOperation, with data: Span<UInt8>) throws(CKError) {
        switch operation {
        case .digest: try digestUpdate(data)
        case .sign: try signUpdate(data)
        case .verify: try verifyUpdate(data)
        }
    }
}
