// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A password, and the remaining iterations that may be spent on it.
struct PFXPassword: ~Copyable {
    /// In UTF-8.
    let octets: Secret
    private var iterationsLeft: Int
    /// Whether an empty password counts as none, which some writers have without the two zeros at the end (RFC 7292, B.1).
    private(set) var isAbsent = false

    /// The greatest number of bytes of a salt, which is hashed in each iteration of some derivations.
    private static let saltLimit = 1024

    init(_ octets: borrowing Secret, iterationLimit: Int) {
        self.octets = octets.copy()
        iterationsLeft = max(iterationLimit, 0)
    }

    /// Reads a salt and a number of iterations, and counts these.
    ///
    /// - Parameter times: The number of blocks derived with them.
    mutating func derivation(_ salt: [UInt8], _ iterations: Int, times: Int = 1) throws(PFXError) {
        guard iterations > 0, salt.count <= Self.saltLimit else { throw .damaged }
        let (cost, overflows) = iterations.multipliedReportingOverflow(by: max(times, 1))
        guard !overflows, cost <= iterationsLeft else { throw .tooManyIterations }
        iterationsLeft -= cost
    }

    /// PBKDF2 (RFC 8018, 5.2).
    mutating func pbkdf2(
        _ hash: DigestAlgorithm, salt: [UInt8], iterations: Int, count: Int
    ) throws(PFXError) -> Secret {
        try derivation(salt, iterations, times: (count + hash.size - 1) / hash.size)
        let password = octets.bytes
        switch hash {
        case .gostR341194:
            return PBKDF2<GOSTR341194>.derive(
                password: password, salt: salt.span, iterations: iterations, count: count)
        case .streebog256:
            return PBKDF2<Streebog256>.derive(
                password: password, salt: salt.span, iterations: iterations, count: count)
        case .streebog512:
            return PBKDF2<Streebog512>.derive(
                password: password, salt: salt.span, iterations: iterations, count: count)
        default:
            do throws(HostCryptoError) {
                return try hash.pbkdf2(password, salt: salt, iterations: iterations, count: count)
            } catch {
                throw .libraryFailure
            }
        }
    }

    /// Reads a MacData (RFC 7292, 4) and compares its MAC with that of the contents.
    ///
    /// - Throws: ``PFXError/wrongPassword`` if they differ.
    mutating func verify(_ contents: Span<UInt8>, _ macData: Span<UInt8>) throws(PFXError) {
        var reader = PFXReader(macData)
        var digestInfo = PFXReader(try reader.contents(.sequence))
        let salt = try reader.octets()
        let iterations = try reader.isAtEnd ? 1 : reader.number()
        try reader.end()
        var identifier = PFXReader(try digestInfo.contents(.sequence))
        let expected = try digestInfo.octets()
        try digestInfo.end()
        let oid = try identifier.objectIdentifier()
        guard let hash = DigestAlgorithm.allCases.first(where: { $0.oid == oid }) else { throw .unsupported(oid) }

        if hash.gost != nil {
            // RFC 9548, 3: the last 32 bytes of 96.
            let derived = try pbkdf2(hash, salt: salt, iterations: iterations, count: 96)
            if try isCode(expected, of: contents, hash, derived.bytes.extracting(last: 32)) { return }
            guard iterations <= iterationsLeft else { throw .wrongPassword }
        }
        // Older files with hash functions of GOST do as all others.
        let key = try pkcs12(.code, hash, salt: salt, iterations: iterations, count: hash.size)
        if try isCode(expected, of: contents, hash, key.bytes) { return }
        guard octets.isEmpty, iterations <= iterationsLeft else { throw .wrongPassword }
        isAbsent = true
        let other = try pkcs12(.code, hash, salt: salt, iterations: iterations, count: hash.size)
        guard try isCode(expected, of: contents, hash, other.bytes) else { throw .wrongPassword }
    }

    private func isCode(
        _ expected: [UInt8], of contents: Span<UInt8>, _ hash: DigestAlgorithm, _ key: Span<UInt8>
    ) throws(PFXError) -> Bool {
        do throws(HostCryptoError) {
            var hmac = try RunningHMAC(hash, key: key)
            hmac.update(contents)
            let code = try hmac.finalize()
            return constantTimeEqual(code.bytes, expected.span)
        } catch {
            throw .libraryFailure
        }
    }
}
