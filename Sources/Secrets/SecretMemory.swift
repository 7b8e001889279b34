// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The memory of all secrets of this process: pages that are never swapped out, are in no core dump, and are empty in a
/// forked child, as far as the system can. Many secrets share a page.
///
/// At most half of the memory that the process may lock (`RLIMIT_MEMLOCK`) is locked here, because the program may want
/// to lock some, too. More secrets are kept as well, but may be swapped out. If the system gives no such pages, the
/// heap is used.
///
/// The pool's own state, its lock included, is in pages that are empty in a child, too. So a child begins with an empty
/// pool, whatever another thread was doing at the fork. Inherited secrets are zeros, and their release does nothing.
@safe
package enum SecretMemory {
    #if WATCHED_HEAP
        // For a sanitizer, which knows the bounds of heap memory only.
        package static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
            let start = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
            unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
            return unsafe start
        }

        package static func release(_ start: UnsafeMutableRawPointer, _ count: Int) {
            unsafe explicit_bzero(start, count)
            unsafe start.deallocate()
        }
    #else
        /// `count` bytes, all zero, at an address that is a multiple of 64.
        package static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
            guard count <= SecretRegion.largest else { return unsafe LargeSecret.allocate(count) }
            let start = unsafe withPool { unsafe $0.allocate(count) } ?? nil
            return unsafe start ?? LargeSecret.allocate(count)
        }

        /// Overwrites and releases memory of ``allocate(_:)``.
        package static func release(_ start: UnsafeMutableRawPointer, _ count: Int) {
            unsafe explicit_bzero(start, count)
            let isReleased = count <= SecretRegion.largest && withPool { unsafe $0.release(start, count) } == true
            if !isReleased { unsafe LargeSecret.release(start) }
        }
    #endif

    /// New pages for secrets; nil if the system has none.
    static func map(_ count: Int) -> UnsafeMutableRawPointer? {
        let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { return nil }
        unsafe madvise(start, count, Int32(MADV_DONTDUMP))
        unsafe madvise(start, count, Int32(MADV_WIPEONFORK))
        return unsafe start
    }

    /// Calls `body` while no other thread reaches the pool.
    ///
    /// - Returns: nil without memory even for the pool.
    package static func withPool<Result>(_ body: (inout SecretPool) -> Result) -> Result? {
        guard let pool = unsafe pool else { return nil }
        unsafe pthread_mutex_lock(&pool.pointee.mutex)
        defer { unsafe pthread_mutex_unlock(&pool.pointee.mutex) }
        return unsafe body(&pool.pointee)
    }

    nonisolated(unsafe) private static let pool: UnsafeMutablePointer<SecretPool>? =
        unsafe map(MemoryLayout<SecretPool>.size)?.bindMemory(to: SecretPool.self, capacity: 1)
}

/// A secret that no region has room for, in pages of its own, or on the heap without them.
@safe
enum LargeSecret {
    /// The header before the secret.
    private struct Header {
        /// Tells the header from a secret's bytes, and from the zeros of a child that did not make it.
        var mark: UInt
        /// The bytes of all pages; 0 on the heap.
        var mapped: Int
        var isLocked: Bool
    }

    private static let headerSize = 64

    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let pageSize = max(sysconf(Int32(_SC_PAGESIZE)), 4096)
        let size = count + headerSize
        let mapped = size > .max - pageSize ? .max : (size + pageSize - 1) / pageSize * pageSize
        var header = Header(mark: 0, mapped: mapped, isLocked: false)
        let start: UnsafeMutableRawPointer
        if let pages = unsafe SecretMemory.map(mapped) {
            unsafe start = pages
            header.isLocked = SecretMemory.withPool { unsafe $0.lock(pages, mapped) } == true
        } else {
            unsafe start = .allocate(byteCount: size, alignment: headerSize)
            unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            header.mapped = 0
        }
        header.mark = unsafe mark(start)
        unsafe start.storeBytes(of: header, as: Header.self)
        return unsafe start + headerSize
    }

    /// Releases memory that is overwritten already.
    static func release(_ secret: UnsafeMutableRawPointer) {
        let start = unsafe secret - headerSize
        let header = unsafe start.load(as: Header.self)
        guard unsafe header.mark == mark(start) else { return }
        unsafe start.storeBytes(of: 0, as: UInt.self)
        guard header.mapped > 0 else { return unsafe start.deallocate() }
        if header.isLocked { _ = SecretMemory.withPool { $0.locked -= header.mapped } }
        unsafe munmap(start, header.mapped)
    }

    private static func mark(_ start: UnsafeMutableRawPointer) -> UInt {
        UInt(bitPattern: start) ^ 0x5EC2_E7A1_10CA_7ED5
    }
}
