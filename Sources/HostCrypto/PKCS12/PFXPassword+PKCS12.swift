// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

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
        try derivation(salt, iterations, times: (count + hash.size - 1) / hash.size)
        let password = try bmpString()
        let size = hash.blockSize
        let saltCount = (salt.count + size - 1) / size * size
        let passwordCount = (password.count + size - 1) / size * size
        var input = Secret(count: saltCount + passwordCount)
        var octets = input.mutableBytes
        for index in 0..<saltCount { octets[index] = salt[index % salt.count] }
        for index in 0..<passwordCount { octets[saltCount + index] = password.bytes[index % password.count] }

        let diversifier = [UInt8](repeating: purpose.rawValue, count: size)
        var result = Secret(count: 0)
        do throws(HostCryptoError) {
            while result.count < count {
                var first = try Digest(hash)
                first.update(diversifier.span)
                first.update(input.bytes)
                var code = try first.finalize()
                for _ in 1..<iterations {
                    var next = try Digest(hash)
                    next.update(code.bytes)
                    code = try next.finalize()
                }
                result = result.appending(code.bytes)
                var octets = input.mutableBytes
                for start in stride(from: 0, to: octets.count, by: size) { octets.add(code.bytes, start, size) }
            }
        } catch {
            throw PFXError(error, else: .libraryFailure)
        }
        return result.extracting(0..<count)
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
        var result = Secret(count: 2 * octets.count)
        var units = result.mutableBytes
        var (index, count) = (0, 0)
        while index < octets.count {
            let scalar = try octets.bytes.scalar(at: &index)
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

extension Span<UInt8> {
    /// The character of UTF-8 at an index, which is moved behind it.
    fileprivate func scalar(at index: inout Int) throws(PFXError) -> Unicode.Scalar {
        let first = self[index]
        let length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0
        guard length > 0, index + length <= count else { throw .invalidPassword }
        var value = length == 1 ? UInt32(first) : UInt32(first) & (0x7F >> UInt32(length))
        for offset in 1..<Swift.max(length, 1) {
            let octet = self[index + offset]
            guard octet & 0xC0 == 0x80 else { throw .invalidPassword }
            value = value << 6 | UInt32(octet & 0x3F)
        }
        let least: [UInt32] = [0, 0, 0x80, 0x800, 0x10000]
        guard value >= least[length], let scalar = Unicode.Scalar(value) else { throw .invalidPassword }
        index += length
        return scalar
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
