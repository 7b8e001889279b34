// SPDX-License-Identifier: Apache-2.0

// Earlier names of the interface, for programs that use them.

extension BearerToken {
    /// The earlier name of ``withBytes(_:)``.
    @available(*, deprecated, renamed: "withBytes(_:)")
    public func withOctets<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result { try withBytes(body) }
}

/// The earlier name of ``CallbackError``.
@available(*, deprecated, renamed: "CallbackError")
public typealias AnswerRefusal = CallbackError
