// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The memory of all secrets of this process: pages that are never swapped out, are in no core dump, and are empty in a
/// forked child, as far as the system can. Many secrets share a page.
///
/// At most half of the memory that the process may lock (`RLIMIT_MEMLOCK`) is locked here, because the program may want
/// to lock some, too. More secrets are kept as well, but may be swapped out. If the system has no such pages, the
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
        /// Distinguishes the header from a secret's bytes, and from the zeros of a child that did not make it.
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

/// The sizes of blocks that share a unit: powers of two from 64 to 2048.
struct BlockSize {
    /// 0 is the smallest.
    let number: Int

    static let count = 6
    private static let smallest = 64

    var bytes: Int { Self.smallest << number }

    /// - Returns: nil if `count` bytes need whole units.
    init?(_ count: Int) {
        guard count <= Self.smallest << (Self.count - 1) else { return nil }
        number = Int.bitWidth - ((max(count, 1) - 1) / Self.smallest).leadingZeroBitCount
    }
}

/// Pages for many secrets, in units of 4 KiB. A unit holds blocks of one size, or is part of a run of units for one
/// secret. The first unit describes the others: zeros say that nothing is in them.
@safe
struct SecretRegion {
    static let unitSize = 4096
    static let size = unitCount * unitSize
    static let firstUnit = 1
    /// The greatest secret that fits.
    static let largest = (unitCount - firstUnit) * unitSize
    private static let unitCount = 64

    private struct Unit: BitwiseCopyable {
        /// A bit for each block that is free.
        var free: UInt64
        /// The result of ``blocks(_:)``, or 0 for an empty unit.
        var content: UInt8
        var isLocked: Bool

        static let run: UInt8 = 0xFF

        static func blocks(_ size: BlockSize) -> UInt8 { UInt8(truncatingIfNeeded: size.number + 1) }

        static func allFree(_ size: BlockSize) -> UInt64 { .max >> UInt64(64 - unitSize / size.bytes) }
    }

    private let start: UnsafeMutableRawPointer

    /// - Returns: nil if the system has no memory.
    init?() {
        guard let start = unsafe SecretMemory.map(Self.size) else { return nil }
        unsafe self.start = start
        unsafe start.bindMemory(to: Unit.self, capacity: Self.unitCount)
    }

    /// The number of units for so many bytes.
    static func units(_ count: Int) -> Int { (count + unitSize - 1) / unitSize }

    /// The unit that an address is in; nil for one elsewhere.
    func unit(of address: UInt) -> Int? {
        let offset = unsafe address &- UInt(bitPattern: start)
        return offset < UInt(Self.size) ? Int(offset) / Self.unitSize : nil
    }

    func address(of unit: Int) -> UnsafeMutableRawPointer { unsafe start + unit * Self.unitSize }

    func isLocked(_ unit: Int) -> Bool { self[unit].isLocked }
    func setLocked(_ unit: Int) { self[unit].isLocked = true }

    private subscript(unit: Int) -> Unit {
        get { unsafe start.assumingMemoryBound(to: Unit.self)[unit] }
        nonmutating set { unsafe start.assumingMemoryBound(to: Unit.self)[unit] = newValue }
    }
}

/// Blocks.
extension SecretRegion {
    /// Whether a unit holds blocks of this size, one of which is free.
    func hasRoom(_ unit: Int, _ size: BlockSize) -> Bool {
        self[unit].content == Unit.blocks(size) && self[unit].free != 0
    }

    func unitWithRoom(_ size: BlockSize) -> Int? {
        (Self.firstUnit..<Self.unitCount).first { hasRoom($0, size) }
    }

    /// Makes an empty unit one of blocks.
    func prepare(_ unit: Int, _ size: BlockSize) {
        self[unit].content = Unit.blocks(size)
        self[unit].free = Unit.allFree(size)
    }

    /// Allocates a block of a unit that has room.
    func take(_ size: BlockSize, from unit: Int) -> UnsafeMutableRawPointer {
        let index = self[unit].free.trailingZeroBitCount
        self[unit].free &= self[unit].free &- 1
        return unsafe address(of: unit) + index * size.bytes
    }

    func giveBack(_ place: UInt, _ size: BlockSize, to unit: Int) {
        let index = Int(place % UInt(Self.unitSize)) / size.bytes
        self[unit].free |= 1 << UInt64(index)
        if self[unit].free == Unit.allFree(size) { self[unit].content = 0 }
    }
}

/// Runs of units.
extension SecretRegion {
    /// The first of so many empty units in a row.
    func emptyUnits(_ count: Int) -> Int? {
        var found = 0
        for unit in Self.firstUnit..<Self.unitCount {
            found = self[unit].content == 0 ? found + 1 : 0
            if found == count { return unit + 1 - count }
        }
        return nil
    }

    func takeRun(_ unit: Int, _ count: Int) -> UnsafeMutableRawPointer {
        for unit in unit..<unit + count { self[unit].content = Unit.run }
        return unsafe address(of: unit)
    }

    func giveBackRun(_ unit: Int, _ count: Int) {
        for unit in unit..<min(unit + count, Self.unitCount) { self[unit].content = 0 }
    }
}
