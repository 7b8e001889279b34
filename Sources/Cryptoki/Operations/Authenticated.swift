// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// MGM (RFC 9058) without further data to authenticate. Nothing is released before all of it is authentic.
final class Authenticated: CipherState {
    private let mode: MGM
    private let blockSize: Int
    private let nonce: [UInt8]
    private let direction: CipherDirection
    let granularity: Int? = nil

    init(
        _ algorithm: CipherAlgorithm, key: Span<UInt8>, nonce: [UInt8], _ direction: CipherDirection
    ) throws(GOSTError) {
        blockSize = algorithm.blockSize
        guard nonce.count == blockSize, nonce[0] < 0x80 else { throw .invalidIVLength }
        mode = try MGM(algorithm, key: key)
        self.nonce = nonce
        self.direction = direction
    }

    func outputSize(for count: Int) -> Int {
        direction == .encryption ? count + blockSize : max(count - blockSize, 0)
    }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        let nonce = nonce
        do throws(GOSTError) {
            return direction == .encryption
                ? try mode.seal(data, nonce: nonce.span, authenticating: Span())
                : try mode.open(data, nonce: nonce.span, authenticating: Span())
        } catch {
            throw error == .authenticationFailed ? .encryptedDataInvalid : direction.lengthRange
        }
    }
}
