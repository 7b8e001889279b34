import Glibc

/// A secret that is kept beyond the call that brought it, in memory of its own: never swapped out, in no core dump, and
/// zero in a forked child, as far as the system can.
@safe
public struct RetainedSecret: ~Copyable, @unchecked Sendable {
    private let pages: UnsafeMutableRawBufferPointer

    /// The number of bytes.
    public let count: Int

    /// - Returns: nil if there is no memory for it.
    public init?(copying secret: borrowing Secret) {
        let size = (secret.count / Self.pageSize + 1) * Self.pageSize
        let start = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start = unsafe start, unsafe start != UnsafeMutableRawPointer(bitPattern: -1) else { return nil }
        // A limit on locked memory, or an old kernel, leaves the secret less well kept, but kept.
        unsafe mlock(start, size)
        unsafe madvise(start, size, Int32(MADV_DONTDUMP))
        unsafe madvise(start, size, Int32(MADV_WIPEONFORK))
        unsafe pages = UnsafeMutableRawBufferPointer(start: start, count: size)
        count = secret.count
        for index in 0..<count { unsafe pages[index] = secret.bytes[index] }
    }

    deinit {
        guard let start = unsafe pages.baseAddress else { return }
        unsafe explicit_bzero(start, pages.count)
        unsafe munmap(start, pages.count)
    }

    /// The secret, for one use.
    public func copy() -> Secret {
        var secret = Secret(count: count)
        var bytes = secret.mutableBytes
        for index in 0..<count { bytes[index] = unsafe pages[index] }
        return secret
    }

    private static let pageSize = max(Int(sysconf(Int32(_SC_PAGESIZE))), 4096)
}
