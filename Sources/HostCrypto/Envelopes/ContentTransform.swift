// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

/// A content that is encrypted or decrypted, piece by piece.
protocol ContentTransform: AnyObject {
    /// Encrypts or decrypts further bytes. They may come out with the next ones.
    func update(_ bytes: inout [UInt8]) throws(HostCryptoError)

    /// Ends an encryption.
    ///
    /// - Returns: The last bytes, and the code; none for a cipher without one.
    func seal() throws(HostCryptoError) -> (rest: [UInt8], code: [UInt8])

    /// Ends a decryption.
    ///
    /// - Parameter code: The message's; none for a cipher without one.
    /// - Returns: The last bytes.
    /// - Throws: ``HostCryptoError/decryptionFailed`` for a wrong code, or invalid padding.
    func open(code: [UInt8]) throws(HostCryptoError) -> [UInt8]
}

extension ContentEncryption {
    /// - Parameter key: As long as the cipher's keys are.
    func transform(key: borrowing Secret, isEncryption: Bool) throws(HostCryptoError) -> any ContentTransform {
        guard key.count == cipher.keySize else { throw .invalidKey }
        do throws(GOSTError) {
            switch cipher {
            case .gost28147(let sBox): return try MeshedTransform(key, vector, sBox, isEncryption: isEncryption)
            case .kuznyechik(let hasCode):
                return try CounterTransform(
                    .kuznyechik, key, vector, section: 1 << 18, hasCode: hasCode, isEncryption: isEncryption)
            case .magma(let hasCode):
                return try CounterTransform(
                    .magma, key, vector, section: 1 << 13, hasCode: hasCode, isEncryption: isEncryption)
            case .aesGCM, .aesCBC, .tripleDES: break
            }
        } catch {
            throw HostCryptoError(error)
        }
        return try LibcryptoTransform(cipher, key, vector, isEncryption: isEncryption)
    }
}

/// GOST 28147-89 with feedback.
private final class MeshedTransform: ContentTransform {
    private var cipher: CipherMessage
    private let isEncryption: Bool

    init(_ key: borrowing Secret, _ iv: [UInt8], _ sBox: SBox, isEncryption: Bool) throws(GOSTError) {
        cipher = try CipherMessage(
            .gost28147(sBox), .cfb, key: key.bytes, iv: iv.span, section: CipherMessage.meshingSection)
        self.isEncryption = isEncryption
    }

    func update(_ bytes: inout [UInt8]) throws(HostCryptoError) {
        var place = bytes.mutableSpan
        do { try cipher.apply(to: &place, enciphering: isEncryption) } catch { throw HostCryptoError(error) }
    }

    func seal() -> (rest: [UInt8], code: [UInt8]) { ([], []) }

    func open(code: [UInt8]) throws(HostCryptoError) -> [UInt8] {
        guard code.isEmpty else { throw .decryptionFailed }
        return []
    }
}

/// CTR-ACPKM, and OMAC of the content. The code is encrypted as if it followed the content.
private final class CounterTransform: ContentTransform {
    private var counter: CipherMessage
    private var code: OMAC?
    private let isEncryption: Bool

    /// - Parameter vector: Half a block of the counter, and the seed of 8 bytes from which the keys of cipher and code are
    ///   derived, if there is a code.
    init(
        _ algorithm: CipherAlgorithm, _ key: borrowing Secret, _ vector: [UInt8], section: Int, hasCode: Bool,
        isEncryption: Bool
    ) throws(GOSTError) {
        let half = algorithm.blockSize / 2
        let (iv, seed) = (Array(vector.prefix(half)), Array(vector.dropFirst(half)))
        self.isEncryption = isEncryption
        guard hasCode else {
            counter = try CipherMessage(algorithm, .ctr, key: key.bytes, iv: iv.span, section: section)
            code = nil
            return
        }
        let keys = try PrivateKey.kegKeys(from: key, seed: seed.span)
        let first = keys.extracting(0..<32)
        let second = keys.extracting(32..<64)
        counter = try CipherMessage(algorithm, .ctr, key: first.bytes, iv: iv.span, section: section)
        code = try OMAC(algorithm, key: second.bytes)
    }

    func update(_ bytes: inout [UInt8]) throws(HostCryptoError) {
        if isEncryption { code?.update(bytes.span) }
        try addGamma(to: &bytes)
        if !isEncryption { code?.update(bytes.span) }
    }

    private func addGamma(to bytes: inout [UInt8]) throws(HostCryptoError) {
        var place = bytes.mutableSpan
        do { try counter.apply(to: &place, enciphering: isEncryption) } catch { throw HostCryptoError(error) }
    }

    func seal() throws(HostCryptoError) -> (rest: [UInt8], code: [UInt8]) {
        guard let code = code.take() else { return ([], []) }
        var bytes = [UInt8](copying: code.finalize())
        try addGamma(to: &bytes)
        return ([], bytes)
    }

    func open(code encrypted: [UInt8]) throws(HostCryptoError) -> [UInt8] {
        guard let code = code.take() else {
            guard encrypted.isEmpty else { throw .decryptionFailed }
            return []
        }
        let expected = code.finalize()
        var given = encrypted
        try addGamma(to: &given)
        guard constantTimeEqual(expected.bytes, given.span) else { throw .decryptionFailed }
        return []
    }
}

/// A cipher of libcrypto, which has the key of this content while it passes by.
private final class LibcryptoTransform: ContentTransform {
    private let context: Handle
    private let hasCode: Bool

    init(
        _ cipher: ContentCipher, _ key: borrowing Secret, _ iv: [UInt8], isEncryption: Bool
    ) throws(HostCryptoError) {
        let name =
            switch cipher {
            case .tripleDES: "DES-EDE3-CBC"
            case .aesGCM: "AES-\(8 * key.count)-GCM"
            default: "AES-\(8 * key.count)-CBC"
            }
        try LibraryContext.require()
        context = try PaddedCBC.context(name, key: key, iv: iv, isEncryption: isEncryption, isPadded: true)
        hasCode = cipher.isAuthenticated
    }

    func update(_ bytes: inout [UInt8]) throws(HostCryptoError) {
        guard let size = Int32(exactly: bytes.count) else { throw .invalidLength }
        guard size > 0 else { return }
        let input = bytes
        let context = context
        bytes = try unsafe Self.output(input.count + AESCipher.blockSize) { place, count throws(HostCryptoError) in
            try unsafe check(EVP_CipherUpdate(context.pointer, place, &count, input, size))
        }
    }

    func seal() throws(HostCryptoError) -> (rest: [UInt8], code: [UInt8]) {
        let context = context
        let rest = try quietly { () throws(HostCryptoError) in
            try unsafe Self.output(AESCipher.blockSize) { place, count throws(HostCryptoError) in
                try unsafe check(EVP_CipherFinal_ex(context.pointer, place, &count))
            }
        }
        guard hasCode else { return (rest, []) }
        var code = [UInt8](repeating: 0, count: 16)
        try unsafe check(EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(code.count), &code))
        return (rest, code)
    }

    func open(code: [UInt8]) throws(HostCryptoError) -> [UInt8] {
        let context = context
        guard code.isEmpty != hasCode else { throw .decryptionFailed }
        return try quietly { () throws(HostCryptoError) in
            if hasCode {
                var code = code
                try unsafe check(
                    EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(code.count), &code))
            }
            return try unsafe Self.output(AESCipher.blockSize) { place, count throws(HostCryptoError) in
                try unsafe check(EVP_CipherFinal_ex(context.pointer, place, &count), else: .decryptionFailed)
            }
        }
    }

    /// The bytes that a function of libcrypto has written, as many as it reports.
    private static func output(
        _ size: Int, _ body: (UnsafeMutablePointer<UInt8>?, inout Int32) throws(HostCryptoError) -> Void
    ) throws(HostCryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var count: Int32 = 0
        try unsafe bytes.withUnsafeMutableBufferPointer { buffer throws(HostCryptoError) in
            try unsafe body(buffer.baseAddress, &count)
        }
        bytes.removeLast(size - Int(count))
        return bytes
    }
}
