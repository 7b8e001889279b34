import HostCrypto
import Secrets
import TestSupport
import Testing

extension DigestAlgorithm {
    /// Those that RSA and ECDSA are used with.
    static let general: [DigestAlgorithm] = [.md5, .sha1, .sha224, .sha256, .sha384, .sha512]

    func callAsFunction(_ message: [UInt8]) throws -> [UInt8] { try Digest.digest(message.span, self) }
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }

    /// The octets but for one bit.
    func changed(at index: Int, bit: Int = 0) -> [UInt8] {
        var copy = self
        copy[index] ^= 1 << bit
        return copy
    }
}

/// Expects a call to be refused.
func expect(
    _ error: HostCryptoError, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    #expect(throws: error, sourceLocation: sourceLocation) { try body() }
}
