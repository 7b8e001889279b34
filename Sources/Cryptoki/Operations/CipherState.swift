// SPDX-License-Identifier: Apache-2.0
import Secrets

/// A cipher at work in one direction.
protocol CipherState: AnyObject {
    /// The bytes of a block; nil if the text is processed as a whole.
    var granularity: Int? { get }

    /// The number of bytes that `process` delivers for `count`, or a limit.
    func outputSize(for count: Int) -> Int

    /// Whether ``outputSize(for:)`` is exact. Otherwise the text is processed as a whole.
    var knowsOutputSize: Bool { get }

    /// - Throws: An error if the key cannot be used now.
    func checkUse() throws(CKError)

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret
}

extension CipherState {
    func outputSize(for count: Int) -> Int { count }

    var knowsOutputSize: Bool { true }

    func checkUse() throws(CKError) {}
}
