// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// A password, and the remaining work that may be spent on it.
struct PFXPassword: ~Copyable {
    /// In UTF-8.
    let bytes: Secret
    /// In computations of a hash function.
    private var workLeft: Int
    /// Called during long work with the iterations done and all of the derivation; false ends the work.
    private let proceeds: (_ done: Int, _ total: Int) -> Bool
    /// Whether an empty password counts as none, which some writers have without the two zeros at the end (RFC 7292, B.1).
    private(set) var isAbsent = false

    /// The greatest number of bytes of a salt, which is hashed in each iteration of some derivations.
    private static let saltLimit = 1024

    init(_ bytes: borrowing Secret, workLimit: Int, proceeds: @escaping (_ done: Int, _ total: Int) -> Bool) {
        self.bytes = bytes.copy()
        workLeft = max(workLimit, 0)
        self.proceeds = proceeds
    }

    /// Reads a salt and a number of iterations, and counts the work.
    ///
    /// - Parameter times: The number of times the hash function is computed in each iteration, for all blocks derived.
    mutating func derivation(_ salt: [UInt8], _ iterations: Int, times: Int = 1) throws(PFXError) {
        guard iterations > 0, salt.count <= Self.saltLimit else { throw .damaged }
        let (cost, overflows) = iterations.multipliedReportingOverflow(by: max(times, 1))
        guard !overflows, cost <= workLeft else { throw .tooManyIterations(iterations) }
        workLeft -= cost
    }

    /// Reports the progress of a derivation.
    ///
    /// - Throws: ``PFXError/cancelled``.
    func proceed(_ done: Int, of total: Int) throws(PFXError) {
        guard proceeds(done, total) else { throw .cancelled }
    }

    /// PBKDF2 (RFC 8018, 5.2).
    mutating func pbkdf2(
        _ hash: DigestAlgorithm, salt: [UInt8], iterations: Int, count: Int
    ) throws(PFXError) -> Secret {
        if let gost = hash.gost { return try pbkdf2(gost.function, salt: salt, iterations: iterations, 0..<count) }
        // HMAC computes the hash function twice.
        try derivation(salt, iterations, times: 2 * ((count + hash.size - 1) / hash.size))
        // libcrypto computes in one call.
        try proceed(0, of: iterations)
        do throws(HostCryptoError) {
            return try hash.pbkdf2(bytes.bytes, salt: salt, iterations: iterations, count: count)
        } catch {
            throw .libraryFailure
        }
    }

    /// PBKDF2 by a hash function of GOST, of the bytes at these places.
    private mutating func pbkdf2<Hash: HashFunction>(
        _ hash: Hash.Type, salt: [UInt8], iterations: Int, _ places: Range<Int>
    ) throws(PFXError) -> Secret {
        let blocks = PBKDF2<Hash>.blocks(places).count
        try derivation(salt, iterations, times: 2 * blocks)
        let proceeds = proceeds
        return try PBKDF2<Hash>.derive(
            password: bytes.bytes, salt: salt.span, iterations: iterations, places
        ) { (done: Int) throws(PFXError) in
            guard proceeds(done, iterations * blocks) else { throw .cancelled }
        }
    }

    /// Reads a MacData (RFC 7292, 4) and compares its MAC with the contents'.
    ///
    /// - Throws: ``PFXError/wrongPassword`` if they differ.
    mutating func verify(_ contents: Span<UInt8>, _ macData: Span<UInt8>) throws(PFXError) {
        var reader = PFXReader(macData)
        var digestInfo = PFXReader(try reader.contents(.sequence))
        let salt = try reader.bytes()
        let iterations = try reader.isAtEnd ? 1 : reader.number()
        try reader.end()
        var identifier = PFXReader(try digestInfo.contents(.sequence))
        let expected = try digestInfo.bytes()
        try digestInfo.end()
        let oid = try identifier.objectIdentifier()
        guard oid != PFXIdentifier.pbmac1 else {
            // Salt and iterations of the MacData itself mean nothing then (RFC 9579, 4).
            let code = try codeKey(identifier.contents(.sequence))
            guard try isCode(expected, of: contents, code.hash, code.key.bytes) else { throw .wrongPassword }
            return
        }
        guard let hash = DigestAlgorithm.allCases.first(where: { $0.oid == oid }) else { throw .unsupported(oid) }

        if let gost = hash.gost {
            // RFC 9548, 3: the last 32 bytes of 96.
            let key = try pbkdf2(gost.function, salt: salt, iterations: iterations, 64..<96)
            if try isCode(expected, of: contents, hash, key.bytes) { return }
            guard iterations <= workLeft else { throw .wrongPassword }
        }
        // Older files with hash functions of GOST do as all others.
        let key = try pkcs12(.code, hash, salt: salt, iterations: iterations, count: hash.size)
        if try isCode(expected, of: contents, hash, key.bytes) { return }
        guard bytes.isEmpty, iterations <= workLeft else { throw .wrongPassword }
        isAbsent = true
        let other = try pkcs12(.code, hash, salt: salt, iterations: iterations, count: hash.size)
        guard try isCode(expected, of: contents, hash, other.bytes) else { throw .wrongPassword }
    }

    /// The key and the hash function of a code by PBMAC1 (RFC 8018, 7.1).
    private mutating func codeKey(_ parameters: Span<UInt8>) throws(PFXError) -> CodeKey {
        var reader = PFXReader(parameters)
        let derivation = try reader.contents(.sequence)
        var scheme = PFXReader(try reader.contents(.sequence))
        try reader.end()
        let oid = try scheme.objectIdentifier()
        guard let hash = DigestAlgorithm(pseudorandomFunction: oid) else { throw .unsupported(oid) }
        return CodeKey(key: try key(derivation, count: nil), hash: hash)
    }

    private struct CodeKey: ~Copyable {
        let key: Secret
        let hash: DigestAlgorithm
    }

    private func isCode(
        _ expected: [UInt8], of contents: Span<UInt8>, _ hash: DigestAlgorithm, _ key: Span<UInt8>
    ) throws(PFXError) -> Bool {
        do throws(HostCryptoError) {
            var hmac = try HMACState(hash, key: key)
            hmac.update(contents)
            let code = try hmac.finalize()
            return constantTimeEqual(code.bytes, expected.span)
        } catch {
            throw .libraryFailure
        }
    }
}

/// The derivation of PKCS #12 itself (RFC 7292, B).
extension PFXPassword {
    /// The purpose of the derived bytes.
    enum Purpose: UInt8 {
        case key = 1
        case initialisationVector = 2
        case code = 3
    }

    /// Derives bytes (RFC 7292, B.2).
    mutating func pkcs12(
        _ purpose: Purpose, _ hash: DigestAlgorithm, salt: [UInt8], iterations: Int, count: Int
    ) throws(PFXError) -> Secret {
        let blocks = (count + hash.size - 1) / hash.size
        try derivation(salt, iterations, times: blocks)
        let password = try bmpString()
        let size = hash.blockSize
        let saltCount = (salt.count + size - 1) / size * size
        let passwordCount = (password.count + size - 1) / size * size
        var input = Secret(count: saltCount + passwordCount)
        var bytes = input.mutableBytes
        for index in 0..<saltCount { bytes[index] = salt[index % salt.count] }
        for index in 0..<passwordCount { bytes[saltCount + index] = password.bytes[index % password.count] }

        let diversifier = [UInt8](repeating: purpose.rawValue, count: size)
        var result = Secret(count: 0)
        for block in 0..<blocks {
            var code = try digest(hash, diversifier.span, input.bytes)
            for done in 1..<iterations {
                if done % 4096 == 0 { try proceed(block * iterations + done, of: blocks * iterations) }
                code = try digest(hash, code.bytes)
            }
            result = result.appending(code.bytes)
            var bytes = input.mutableBytes
            for start in stride(from: 0, to: bytes.count, by: size) { bytes.add(code.bytes, start, size) }
        }
        return result.extracting(0..<count)
    }

    private func digest(
        _ hash: DigestAlgorithm, _ first: Span<UInt8>, _ second: Span<UInt8> = Span()
    ) throws(PFXError) -> Secret {
        do throws(HostCryptoError) {
            var digest = try Digest(hash)
            digest.update(first)
            digest.update(second)
            return try digest.finalize()
        } catch {
            throw PFXError(error, else: .libraryFailure)
        }
    }

    /// The password as a BMPString with two zeros at the end (RFC 7292, B.1).
    private func bmpString() throws(PFXError) -> Secret {
        guard !isAbsent else { return Secret(count: 0) }
        let units = try utf16(isBigEndian: true)
        return units.appending([0, 0].span)
    }

    /// The password in UTF-16.
    ///
    /// - Throws: ``PFXError/invalidPassword``.
    func utf16(isBigEndian: Bool) throws(PFXError) -> Secret {
        var result = Secret(count: 2 * bytes.count)
        var units = result.mutableBytes
        var (index, count) = (0, 0)
        while index < bytes.count {
            guard let scalar = bytes.bytes.scalar(at: &index) else { throw .invalidPassword }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let (high, low) = (UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit))
                units[count] = isBigEndian ? high : low
                units[count + 1] = isBigEndian ? low : high
                count += 2
            }
        }
        return result.extracting(0..<count)
    }
}

extension MutableSpan<UInt8> {
    /// Adds a number and 1 to one of `size` bytes, without the carry out of it. Both are big-endian, and the first is
    /// repeated until it is as long.
    @_lifetime(self: copy self)
    fileprivate mutating func add(_ number: Span<UInt8>, _ start: Int, _ size: Int) {
        var carry = 1
        for index in (0..<size).reversed() {
            let sum = Int(self[start + index]) + Int(number[index % number.count]) + carry
            self[start + index] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
    }
}
