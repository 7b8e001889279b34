// SPDX-License-Identifier: Apache-2.0

// Earlier names of the interface, for programs that use them.

/// The earlier name of ``ByteSource``.
@available(*, deprecated, renamed: "ByteSource")
public typealias OctetSource = ByteSource

extension PIN {
    /// The earlier name of ``init(bytes:)``.
    @available(*, deprecated, renamed: "init(bytes:)")
    public init(octets: Span<UInt8>) { self.init(bytes: octets) }
}

extension ActivationPassword {
    /// The earlier name of ``init(bytes:)``.
    @available(*, deprecated, renamed: "init(bytes:)")
    public init(octets: Span<UInt8>) { self.init(bytes: octets) }

    /// The earlier name of ``withBytes(_:)``.
    @available(*, deprecated, renamed: "withBytes(_:)")
    public func withOctets<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result { try withBytes(body) }
}

extension SecretBytes {
    /// The earlier name of ``init(bytes:)``.
    @available(*, deprecated, renamed: "init(bytes:)")
    public init(octets: Span<UInt8>) { self.init(bytes: octets) }
}

extension SharedKey {
    /// The earlier name of ``init(bytes:)``.
    @available(*, deprecated, renamed: "init(bytes:)")
    public init(octets: Span<UInt8>) { self.init(bytes: octets) }
}

extension JournalRecord {
    /// The earlier name of ``bytes``.
    @available(*, deprecated, renamed: "bytes")
    public var octets: [UInt8] { bytes }
}

extension Share {
    /// The earlier name of ``remoteEnd(host:port:input:output:)``.
    @available(*, deprecated, renamed: "remoteEnd(host:port:input:output:)")
    public static func farEnd(
        host: String = "127.0.0.1", port: UInt16 = 35963, input: Int32 = 0, output: Int32 = 1
    ) async throws(KanalError) {
        try await remoteEnd(host: host, port: port, input: input, output: output)
    }
}
