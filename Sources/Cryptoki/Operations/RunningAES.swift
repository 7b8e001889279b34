// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import Tokens

/// AES, in ECB or CBC.
final class RunningAES: CipherState {
    private let cipher: AESCipher
    private let direction: CipherDirection
    let granularity: Int? = AESCipher.blockSize

    /// - Parameter iv: nil for ECB.
    init(key: Span<UInt8>, iv: [UInt8]?, _ direction: CipherDirection) throws(CKError) {
        self.direction = direction
        do throws(HostCryptoError) {
            cipher = try AESCipher(key: key, iv: iv, isEncryption: direction == .encryption)
        } catch {
            throw CKError(error)
        }
    }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        do throws(HostCryptoError) { return try cipher.process(data) } catch {
            throw error == .invalidLength ? direction.lengthRange : CKError(error)
        }
    }
}
