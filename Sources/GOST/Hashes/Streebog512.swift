// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The hash function GOST R 34.11-2012 with a hash code of 512 bits (RFC 6986).
package struct Streebog512: HashFunction, ~Copyable {
    package static var digestSize: Int { 64 }
    package static var blockSize: Int { 64 }

    private var state: SecretBox<StreebogState>

    package init() {
        state = SecretBox(StreebogState(initial: 0))
    }

    private init(_ state: StreebogState) {
        self.state = SecretBox(state)
    }

    package mutating func update(_ data: Span<UInt8>) {
        state.value.update(data)
    }

    package consuming func finalize() -> Secret {
        state.value.finish()
        return Secret(littleEndian: state.value.hash, 0..<8)
    }

    package borrowing func copy() -> Streebog512 {
        Streebog512(state.value)
    }
}
