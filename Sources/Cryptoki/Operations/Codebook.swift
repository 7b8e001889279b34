// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A cipher that works block by block.
protocol CodebookCipher: ~Copyable {
    static var blockSize: Int { get }
    func encryptECB(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret
    func decryptECB(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret
}

extension GOST28147: CodebookCipher {}

extension Magma: CodebookCipher {}

extension Kuznyechik: CodebookCipher {}

/// ECB of GOST 28147-89, Magma and Kuznyechik.
final class Codebook<Cipher: CodebookCipher & ~Copyable>: CipherState {
    private let cipher: Cipher
    private let direction: CipherDirection
    let granularity: Int? = Cipher.blockSize

    init(_ cipher: consuming Cipher, _ direction: CipherDirection) {
        self.cipher = cipher
        self.direction = direction
    }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        do throws(GOSTError) {
            return direction == .encryption ? try cipher.encryptECB(data) : try cipher.decryptECB(data)
        } catch {
            throw direction.lengthRange
        }
    }
}
