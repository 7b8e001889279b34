// SPDX-License-Identifier: Apache-2.0
import CCryptoki
package import Secrets

/// The value of an attribute. Values of keys and of private objects are kept as secrets, and become arrays only while
/// they are read.
package enum AttributeValue: Sendable, Equatable {
    case open([UInt8])
    case secret(SharedSecret)

    var bytes: [UInt8] {
        switch self {
        case .open(let bytes): bytes
        case .secret(let secret): secret.bytes
        }
    }

    package static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.secret(let left), .secret(let right)): left == right
        default: left.bytes == right.bytes
        }
    }

    /// The value as an object keeps it: secret if the object is private and the value is longer than a number.
    func kept(isPrivate: Bool) -> AttributeValue {
        switch self {
        case .open(let bytes) where isPrivate && bytes.count > MemoryLayout<CK_ULONG>.size:
            .secret(SharedSecret(copying: bytes))
        case .secret(let secret) where !isPrivate: .open(secret.bytes)
        default: self
        }
    }
}
