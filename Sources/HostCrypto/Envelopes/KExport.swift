// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The export of a content key by KExp15 under the keys of KEG (R 1323565.1.025-2019; RFC 9189, 8.2.1 and 8.3.1).
enum KExport {
    static let ukmSize = 32

    /// - Parameter secret: Of VKO; with 512 bits, of KEG.
    static func wrap(
        _ key: borrowing Secret, isMagma: Bool, _ secret: borrowing Secret, ukm: [UInt8]
    ) throws(GOSTError) -> [UInt8] {
        let keys = try keys(from: secret, ukm)
        let code = keys.extracting(0..<32)
        let cipher = keys.extracting(32..<64)
        let iv = iv(ukm, isMagma: isMagma)
        let wrapped =
            isMagma
            ? try KExp15<Magma>.wrap(
                key.bytes, authenticationKey: code.bytes, encryptionKey: cipher.bytes, iv: iv.span)
            : try KExp15<Kuznyechik>.wrap(
                key.bytes, authenticationKey: code.bytes, encryptionKey: cipher.bytes, iv: iv.span)
        return [UInt8](copying: wrapped)
    }

    static func unwrap(
        _ wrapped: [UInt8], isMagma: Bool, _ secret: borrowing Secret, ukm: [UInt8]
    ) throws(GOSTError) -> Secret {
        let keys = try keys(from: secret, ukm)
        let code = keys.extracting(0..<32)
        let cipher = keys.extracting(32..<64)
        let iv = iv(ukm, isMagma: isMagma)
        return isMagma
            ? try KExp15<Magma>.unwrap(
                wrapped.span, authenticationKey: code.bytes, encryptionKey: cipher.bytes, iv: iv.span)
            : try KExp15<Kuznyechik>.unwrap(
                wrapped.span, authenticationKey: code.bytes, encryptionKey: cipher.bytes, iv: iv.span)
    }

    private static func iv(_ ukm: [UInt8], isMagma: Bool) -> [UInt8] {
        Array(ukm.dropFirst(24).prefix(isMagma ? 4 : 8))
    }

    /// The keys of the code and of the cipher.
    private static func keys(from secret: borrowing Secret, _ ukm: [UInt8]) throws(GOSTError) -> Secret {
        if secret.count == 32 {
            let seed = Array(ukm.dropFirst(16).prefix(8))
            return try PrivateKey.kegKeys(from: secret, seed: seed.span)
        }
        guard secret.count == 64 else { throw .invalidKeyLength }
        return secret.copy()
    }
}
