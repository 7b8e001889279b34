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
        let iv = iv(ukm, isMagma: isMagma)
        return [UInt8](
            copying: try KExp15.wrap(key.bytes, isMagma ? .magma : .kuznyechik, keys: keys.bytes, iv: iv.span))
    }

    static func unwrap(
        _ wrapped: [UInt8], isMagma: Bool, _ secret: borrowing Secret, ukm: [UInt8]
    ) throws(GOSTError) -> Secret {
        let keys = try keys(from: secret, ukm)
        let iv = iv(ukm, isMagma: isMagma)
        return try KExp15.unwrap(wrapped.span, isMagma ? .magma : .kuznyechik, keys: keys.bytes, iv: iv.span)
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
