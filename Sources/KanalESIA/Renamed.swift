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

/// The earlier name of ``ESIAService``.
@available(*, deprecated, renamed: "ESIAService")
public typealias IdentityService = ESIAService

/// The earlier name of ``ESIAError``.
@available(*, deprecated, renamed: "ESIAError")
public typealias IdentityServiceError = ESIAError

/// The earlier name of ``ESIATokens``.
@available(*, deprecated, renamed: "ESIATokens")
public typealias IdentityTokens = ESIATokens
