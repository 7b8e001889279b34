// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// HMAC (RFC 2104) over a GOST hash function: HMAC_GOSTR3411 of RFC 4357, 3, and HMAC_GOSTR3411_2012_256 and
/// HMAC_GOSTR3411_2012_512 of RFC 7836, 4.1.
///
/// Constant time in its secret inputs, the key and the message; their lengths show.
package struct HMAC<Hash: HashFunction>: ~Copyable, Sendable {
    private var state: SecretBox<gost_hmac>

    /// Begins a message under `key`, which can have any length. A key longer than a block is hashed first.
    package init(key: Span<UInt8>) {
        let path = Instructions.current.path
        state = SecretBox(gost_hmac())
        unsafe state.withUnsafeMutablePointer { state in
            unsafe key.withUnsafeBufferPointer {
                unsafe gost_hmac_begin(path, state, Hash.algorithm.name, $0.baseAddress, $0.count)
            }
        }
    }

    private init(_ state: consuming SecretBox<gost_hmac>) { self.state = state }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) {
        unsafe state.withUnsafeMutablePointer { state in
            unsafe data.withUnsafeBufferPointer { unsafe gost_hmac_update(state, $0.baseAddress, $0.count) }
        }
    }

    /// Ends the message and returns its MAC, as many bytes as the hash's. Constant time in its secret inputs.
    package consuming func finalize() -> Secret {
        var code = Secret(count: Hash.digestSize)
        var bytes = code.mutableBytes
        unsafe state.withUnsafeMutablePointer { state in
            unsafe bytes.withUnsafeMutableBufferPointer { unsafe gost_hmac_end(state, $0.baseAddress) }
        }
        return code
    }

    /// A second state under the same key that goes on from here.
    package borrowing func copy() -> HMAC { HMAC(SecretBox(copying: state)) }

    /// The MAC of `data` under `key`. Constant time in its secret inputs.
    package static func authenticate(_ data: Span<UInt8>, key: Span<UInt8>) -> Secret {
        var code = HMAC(key: key)
        code.update(data)
        return code.finalize()
    }

    /// Replaces `iterate`, of the size of a digest, by its MAC under the key `count` times, and adds each to `sum`
    /// modulo 2. No message has begun. Constant time in its secret inputs.
    func iterate(_ iterate: inout Secret, _ count: Int, sum: inout Secret) {
        guard count > 0, iterate.count == Hash.digestSize, sum.count == Hash.digestSize else { return }
        var iterate = iterate.mutableBytes
        var sum = sum.mutableBytes
        unsafe state.withUnsafePointer { state in
            unsafe iterate.withUnsafeMutableBufferPointer { iterate in
                unsafe sum.withUnsafeMutableBufferPointer {
                    unsafe gost_hmac_iterate(state, iterate.baseAddress, $0.baseAddress, count)
                }
            }
        }
    }
}
