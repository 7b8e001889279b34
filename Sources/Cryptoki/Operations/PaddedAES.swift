// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets
import Tokens

/// AES in CBC with padding (PKCS #11 v2.40 mechanisms, 2.10.4). The text is processed as a whole.
final class PaddedAES: CipherState {
    private let key: Secret
    private let iv: [UInt8]
    private let direction: CipherDirection
    let granularity: Int? = nil

    init(key: borrowing Secret, iv: [UInt8], _ direction: CipherDirection) throws(CKError) {
        guard iv.count == AESCipher.blockSize else {
            throw .mechanismParameterInvalid(
                "the parameter has \(iv.count) bytes, an IV of AES has \(AESCipher.blockSize)")
        }
        self.key = key.copy()
        self.iv = iv
        self.direction = direction
    }

    func outputSize(for count: Int) -> Int {
        direction == .encryption ? (count / AESCipher.blockSize + 1) * AESCipher.blockSize : count
    }

    var knowsOutputSize: Bool { direction == .encryption }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        let key = key.copy()
        do throws(HostCryptoError) {
            return try AESCipher.padded(data, key: key.bytes, iv: iv, isEncryption: direction == .encryption)
        } catch {
            throw error == .invalidLength ? direction.lengthRange : CKError(error)
        }
    }
}
