// SPDX-License-Identifier: Apache-2.0
import GOST
package import Secrets

/// A password that was checked with a container, in the form in which keys are derived of it: four bytes for each
/// character. Empty for a container without a password.
package struct ContainerPassword: ~Copyable, Sendable {
    let units: Secret

    /// The password of a container without one.
    package static var none: ContainerPassword { ContainerPassword(units: Secret(count: 0)) }
}

extension ContainerHeader {
    /// Checks a password with the code in the header, without a key's file.
    ///
    /// CryptoPro CSP on Linux has characters of four bytes. No container was seen whose password has a character outside
    /// ASCII, so that three forms are tried (Containers, 5).
    ///
    /// - Parameter password: In UTF-8; empty for none.
    /// - Throws: ``ContainerError/password``, ``ContainerError/passwordNeeded``, ``ContainerError/passwordNotNeeded``.
    package func checkPassword(_ password: borrowing Secret) throws(ContainerError) -> ContainerPassword {
        guard needsPassword else {
            guard password.isEmpty else { throw .passwordNotNeeded }
            return .none
        }
        guard !password.isEmpty else { throw .passwordNeeded }
        guard let key = keys.first, let code = passwordCode else { throw .damaged(.header, .encoding) }
        let bytes = password.bytes
        for form in bytes.isASCII ? [PasswordForm.utf8] : PasswordForm.allCases {
            guard let units = form.units(bytes) else { continue }
            if try key.isPassword(units, code) { return ContainerPassword(units: units) }
        }
        throw .password
    }
}

extension ContainedKey {
    fileprivate func isPassword(_ units: borrowing Secret, _ code: [UInt8]) throws(ContainerError) -> Bool {
        let storageKey = StorageKey.derive(algorithm, password: units.bytes, salt: fingerprint.span)
        let zeros = [UInt8](repeating: 0, count: 16)
        do {
            let expected = try GOST28147IMIT.authenticate(
                zeros.span, key: storageKey.bytes, sBox: algorithm.containerSBox, meshing: false)
            return published(constantTimeEqual(expected.bytes, code.span))
        } catch {
            throw .failure(error)
        }
    }
}

/// A way to have four bytes for each character.
package enum PasswordForm: CaseIterable, Sendable {
    /// Little-endian.
    case utf32
    /// A byte of the code page 1251, and three zeros.
    case windows1251
    /// A byte of UTF-8, and three zeros.
    case utf8

    /// The bytes of a password in UTF-8; nil if it has none in this form.
    package func units(_ password: Span<UInt8>) -> Secret? {
        var result = Secret(count: 4 * password.count)
        var units = result.mutableBytes
        var (index, count) = (0, 0)
        while index < password.count {
            var unit = UInt32(password[index])
            if self == .utf8 {
                index += 1
            } else {
                guard let scalar = password.scalar(at: &index) else { return nil }
                unit = scalar.value
                if self == .windows1251 {
                    guard let byte = Windows1251.byte(scalar) else { return nil }
                    unit = UInt32(byte)
                }
            }
            for offset in 0..<4 { units[count + offset] = UInt8(truncatingIfNeeded: unit >> UInt32(8 * offset)) }
            count += 4
        }
        return result.extracting(0..<count)
    }
}

extension Span<UInt8> {
    fileprivate var isASCII: Bool {
        var bits: UInt8 = 0
        for index in indices { bits |= self[index] }
        return published(bits < 0x80)
    }
}
