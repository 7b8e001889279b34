// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import Tokens

/// A cipher at work in one direction.
protocol CipherState: AnyObject {
    /// The bytes of a block; nil if the text is processed as a whole.
    var granularity: Int? { get }

    /// The number of bytes that `process` delivers for `count`, or a limit.
    func outputSize(for count: Int) -> Int

    /// Whether ``outputSize(for:)`` is exact. Otherwise the text is processed as a whole.
    var knowsOutputSize: Bool { get }

    /// - Throws: An error if the key cannot be used now.
    func checkUse() throws(CKError)

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret
}

extension CipherState {
    func outputSize(for count: Int) -> Int { count }

    var knowsOutputSize: Bool { true }

    func checkUse() throws(CKError) {}
}

/// The direction of a cipher.
package enum CipherDirection: Sendable {
    case encryption, decryption

    /// The error for text of a length that the cipher does not take.
    var lengthRange: CKError { self == .encryption ? .dataLengthRange : .encryptedDataLengthRange }
}

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

/// CFB with key meshing: the mode of the CryptoPro parameter sets A to D (RFC 4357, 8.1), and of the set Z, where
/// OpenSSL's engine uses it too.
final class Feedback28147: CipherState {
    private var mode: GOST28147CFB
    private let direction: CipherDirection
    let granularity: Int? = 1

    init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, _ direction: CipherDirection) throws(GOSTError) {
        mode = try GOST28147CFB(key: key, iv: iv, sBox: sBox, meshing: true)
        self.direction = direction
    }

    func process(_ data: Span<UInt8>) -> Secret {
        direction == .encryption ? mode.encrypt(data) : mode.decrypt(data)
    }
}

/// The gamma mode (CNT) without key meshing: the mode of the test parameter set (RFC 4357, 8.1).
final class Gamma28147: CipherState {
    private var mode: GOST28147CNT
    let granularity: Int? = 1

    init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox) throws(GOSTError) {
        mode = try GOST28147CNT(key: key, iv: iv, sBox: sBox, meshing: false)
    }

    func process(_ data: Span<UInt8>) -> Secret { mode.apply(data) }
}

/// CTR-ACPKM (R 1323565.1.017-2018; RFC 8645, 6.2.2), the same in both directions.
final class RekeyedCounter<Cipher: BlockCipher & ~Copyable>: CipherState {
    private var mode: CTRACPKM<Cipher>
    let granularity: Int? = 1

    init(key: Span<UInt8>, iv: Span<UInt8>, section: Int) throws(GOSTError) {
        mode = try CTRACPKM<Cipher>(key: key, iv: iv, section: section)
    }

    func process(_ data: Span<UInt8>) -> Secret { mode.update(data) }
}

/// MGM (RFC 9058) without further data to authenticate. Nothing is released before all of it is authentic.
final class Authenticated<Cipher: BlockCipher & ~Copyable>: CipherState {
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
