import Glibc
import Secrets

/// A secret that an array can hold.
final class Box: @unchecked Sendable {
    var secret: Secret
    init(_ secret: consuming Secret) { self.secret = secret }
}

extension Secret {
    var address: UInt {
        unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    /// Whether all bytes, of which there are some, are the same.
    func isFilled(with octet: UInt8) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, unsafe bytes.first == octet else { return false }
            return unsafe memcmp(start, start + 1, bytes.count - 1) == 0
        }
    }

    mutating func fill(_ octet: UInt8) {
        var bytes = mutableBytes
        unsafe bytes.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { unsafe memset(start, Int32(octet), bytes.count) }
        }
    }
}
