import APDU
import TestSupport

extension OpenSSL {
    /// Runs a command of openssl in a folder of its own, with these files. Gives what it printed, or nil if it failed.
    static func run(_ arguments: [String], files: [String: [UInt8]]) throws -> [UInt8]? {
        let openssl = try OpenSSL()
        for (name, content) in files { try openssl.write(content, name) }
        return try openssl.output(arguments.joined(separator: " "))
    }

    /// A public key of RSA in DER (RFC 5280 and RFC 8017), from little-endian numbers.
    static func rsaPublicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let key = [UInt8].object(0x30, integer(modulus.reversed()) + integer(exponent.reversed()))
        return publicKey("300d06092a864886f70d0101010500", key)
    }

    /// A public key of ECDSA in DER (RFC 5480), from X ‖ Y, both little-endian.
    ///
    /// - Parameter curve: Its object identifier, in DER.
    static func ecPublicKey(_ point: [UInt8], curve: [UInt8]) -> [UInt8] {
        publicKey(
            [UInt8].object(0x30, [UInt8](hex: "06072a8648ce3d0201") + curve).hex,
            [0x04] + point.prefix(32).reversed() + point.suffix(32).reversed())
    }

    /// A signature of ECDSA in DER (RFC 3279, 2.2.3), from r ‖ s, both little-endian.
    static func signature(_ bytes: [UInt8]) -> [UInt8] {
        .object(0x30, integer(bytes.prefix(32).reversed()) + integer(bytes.suffix(32).reversed()))
    }

    private static func publicKey(_ algorithm: String, _ key: [UInt8]) -> [UInt8] {
        .object(0x30, [UInt8](hex: algorithm) + [UInt8].object(0x03, [0x00] + key))
    }

    private static func integer(_ bigEndian: [UInt8]) -> [UInt8] {
        let digits = bigEndian.drop { $0 == 0 }
        return .object(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
    }
}
