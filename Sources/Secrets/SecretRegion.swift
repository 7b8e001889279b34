// SPDX-License-Identifier: Apache-2.0

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

    /// Takes a block of a unit that has room.
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
