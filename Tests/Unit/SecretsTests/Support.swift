// SPDX-License-Identifier: Apache-2.0
import Foundation
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
    func isFilled(with byte: UInt8) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, unsafe bytes.first == byte else { return false }
            return unsafe memcmp(start, start + 1, bytes.count - 1) == 0
        }
    }

    mutating func fill(_ byte: UInt8) {
        var bytes = mutableBytes
        unsafe bytes.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { unsafe memset(start, Int32(byte), bytes.count) }
        }
    }
}

/// The kernel's description of this process's memory.
enum MemoryMap {
    struct Mapping {
        let range: Range<UInt>
        let flags: Set<Substring>

        /// Neither in a core dump nor in a forked child.
        var isForSecrets: Bool { flags.isSuperset(of: ["dd", "wf"]) }
        var isLocked: Bool { flags.contains("lo") }
    }

    static var mappings: [Mapping] {
        var range: Range<UInt>?
        return text("/proc/self/smaps").split(separator: "\n").compactMap { line in
            let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 { range = bounds[0]..<bounds[1] }
            guard line.hasPrefix("VmFlags:"), let range else { return nil }
            return Mapping(range: range, flags: Set(line.split(separator: " ").dropFirst()))
        }
    }

    static func mapping(of address: UInt) -> Mapping? { mappings.first { $0.range.contains(address) } }

    /// The KiB that a line of /proc/self/status says.
    static func kibibytes(_ name: String) -> Int {
        let line = text("/proc/self/status").split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }

    /// A file of the kernel's, which it gives page by page.
    private static func text(_ path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var (text, page) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = unsafe read(file, &page, page.count), count > 0 { text += page.prefix(count) }
        return String(decoding: text, as: UTF8.self)
    }
}
