// SPDX-License-Identifier: Apache-2.0

/// Characters of a password, which never becomes a `String`.
extension Span<UInt8> {
    /// The character of UTF-8 at an index, which is moved behind it; nil for bytes that are not UTF-8, which leave the index there.
    package func scalar(at index: inout Int) -> Unicode.Scalar? {
        guard indices.contains(index) else { return nil }
        let first = self[index]
        let length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0
        guard length > 0, length <= count - index else { return nil }
        var value = length == 1 ? UInt32(first) : UInt32(first) & (0x7F >> UInt32(length))
        for offset in 1..<Swift.max(length, 1) {
            let byte = self[index + offset]
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        let least: [UInt32] = [0, 0, 0x80, 0x800, 0x10000]
        guard value >= least[length], let scalar = Unicode.Scalar(value) else { return nil }
        index += length
        return scalar
    }
}
