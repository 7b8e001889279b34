// SPDX-License-Identifier: Apache-2.0
import CMemcheck
import GOST
import Secrets

/// One run of a function: with inputs that valgrind treats as unknown, or with the same inputs as they are.
struct Inputs {
    let areSecret: Bool

    /// `count` bytes of a key, a PIN or a message.
    func secret(_ count: Int) -> Secret { secret(bytes(count)) }

    func secret(_ data: some Collection<UInt8>) -> Secret {
        var secret = Secret(copying: Array(data))
        if areSecret {
            let bytes = secret.mutableBytes
            hide(bytes)
        }
        return secret
    }

    /// A source of nonces.
    var random: any RandomSource { Nonces(inputs: self) }

    fileprivate func hide(_ bytes: borrowing MutableSpan<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe memcheck_make_undefined($0.baseAddress, $0.count) }
    }
}

/// `count` bytes, always the same.
func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
}

/// Nonces that are the same in every run.
private struct Nonces: RandomSource {
    let inputs: Inputs

    func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: (bytes.count - index) &* 37) }
        if inputs.areSecret { inputs.hide(bytes) }
    }
}

/// The result of a function, no longer secret.
func revealed(_ result: borrowing Secret) -> [UInt8] {
    unsafe result.bytes.withUnsafeBytes { unsafe memcheck_make_defined($0.baseAddress, $0.count) }
    return [UInt8](copying: result)
}

func revealed(_ result: [UInt8]) -> [UInt8] {
    unsafe result.withUnsafeBytes { unsafe memcheck_make_defined($0.baseAddress, $0.count) }
    return result
}

/// A function that is claimed to be constant time, with its inputs and the use of its result.
struct Claim: Sendable {
    let name: String
    let run: @Sendable (Inputs) throws -> [UInt8]

    init(_ name: String, run: @escaping @Sendable (Inputs) throws -> [UInt8]) {
        self.name = name
        self.run = run
    }

    /// Valgrind's verdict on the function, or any other fault of it.
    func outcome() -> Outcome {
        do {
            let expected = try run(Inputs(areSecret: false))
            let before = memcheck_reports()
            let result = try run(Inputs(areSecret: true))
            guard memcheck_reports() == before else { return .leaks }
            return result == expected && !result.isEmpty ? .constantTime : .wrong
        } catch {
            return .fails
        }
    }

    enum Outcome: String, CustomStringConvertible {
        case constantTime = "constant time"
        /// A branch or a memory index depends on a secret.
        case leaks = "LEAKS"
        /// The secret run's result is not the other run's.
        case wrong = "WRONG"
        /// The function throws an error.
        case fails = "FAILS"

        var description: String { rawValue }
    }
}
