// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// MGM (RFC 9058) without further data to authenticate. Nothing is released before all of it is authentic.
final class Authenticated<Cipher: GOSTBlockCipher & ~Copyable>: CipherState {
    private let mode: MGM<Cipher>
    private let nonce: [UInt8]
    private let direction: CipherDirection
    let granularity: Int? = nil

    init(key: Span<UInt8>, nonce: [UInt8], _ direction: CipherDirection) throws(GOSTError) {
        guard nonce.count == Cipher.blockSize, nonce[0] < 0x80 else { throw .invalidIVLength }
        mode = try MGM<Cipher>(key: key)
        self.nonce = nonce
        self.direction = direction
    }

    func outputSize(for count: Int) -> Int {
        direction == .encryption ? count + Cipher.blockSize : max(count - Cipher.blockSize, 0)
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
