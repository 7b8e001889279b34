// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// A hash that is being computed, of a message that comes in pieces.
///
/// A message may be a password, so that a state is never copied by accident, wipes itself, and is constant time in the
/// message; only the message's length shows.
package struct HashState: ~Copyable, Sendable {
    private let algorithm: HashAlgorithm
    private var state: SecretBox<gost_hash>

    /// The state before the first byte.
    package init(_ algorithm: HashAlgorithm) {
        self.init(algorithm, SecretBox(gost_hash()))
        unsafe state.withUnsafeMutablePointer {
            unsafe gost_hash_begin(Instructions.current.path, $0, algorithm.name)
        }
    }

    /// The state of GOST R 34.11-94 with any S-box before the first byte.
    package init(sBox: SBox) {
        self.init(.gostR341194)
        state.value.rows = sBox.set
    }

    private init(_ algorithm: HashAlgorithm, _ state: consuming SecretBox<gost_hash>) {
        self.algorithm = algorithm
        self.state = state
    }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) {
        unsafe state.withUnsafeMutablePointer { state in
            unsafe data.withUnsafeBufferPointer { unsafe gost_hash_update(state, $0.baseAddress, $0.count) }
        }
    }

    /// Ends the message and returns its hash code, least significant byte of the standard's vector first. Constant time
    /// in its secret inputs.
    package consuming func finalize() -> Secret {
        var digest = Secret(count: algorithm.digestSize)
        var bytes = digest.mutableBytes
        unsafe state.withUnsafeMutablePointer { state in
            unsafe bytes.withUnsafeMutableBufferPointer { unsafe gost_hash_end(state, $0.baseAddress) }
        }
        return digest
    }

    /// A second hash that goes on from here.
    package borrowing func copy() -> HashState { HashState(algorithm, SecretBox(copying: state)) }
}
