public import Secrets

/// A response APDU (ISO/IEC 7816-4, 5.1): data and status word.
public struct Response: Sendable, Equatable {
    public var data: [UInt8]
    public var status: StatusWord

    public init(_ status: StatusWord, data: [UInt8] = []) {
        self.data = data
        self.status = status
    }

    /// Reads a response as it came; nil if there are fewer than the two bytes of the status word.
    public init?(parsing bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 2 else { return nil }
        data = Array(bytes.dropLast(2))
        status = StatusWord(bytes[bytes.endIndex - 2], bytes[bytes.endIndex - 1])
    }

    /// Reads a response as it came; nil if there are fewer than the two bytes of the status word.
    public init?(parsing bytes: [UInt8]) { self.init(parsing: bytes[...]) }

    /// The response as it is sent.
    public var encoded: [UInt8] { data + [status.sw1, status.sw2] }
}

/// A response APDU whose data are secret.
public struct SecretResponse: ~Copyable {
    public let status: StatusWord
    public let data: Secret

    public init(_ status: StatusWord, data: consuming Secret) {
        self.status = status
        self.data = data
    }
}
