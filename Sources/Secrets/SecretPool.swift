// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The regions in use, and hints for the next search. All zero is an empty pool, which is the state of new pages.
@safe
package struct SecretPool {
    var mutex: pthread_mutex_t
    /// Bytes that are locked.
    var locked: Int
    /// Bytes that may be; 0 before the first use.
    private var limit: Int
    private var regionCount: Int
    /// For each size of blocks, the unit in which one was last taken or given back. It may have a free one.
    private var hints: InlineArray<6, Place>
    private var regions: InlineArray<1024, SecretRegion?>

    private struct Place {
        var region: Int
        var unit: Int
    }

    /// - Returns: nil if the system has no memory, or the pool no room.
    mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard let size = BlockSize(count) else {
            let units = SecretRegion.units(count)
            guard let place = emptyUnits(units) else { return nil }
            return unsafe regions[place.region]?.takeRun(place.unit, units)
        }
        guard let place = room(for: size) else { return nil }
        hints[size.number] = place
        return unsafe regions[place.region]?.take(size, from: place.unit)
    }

    /// - Returns: Whether the memory was the pool's.
    mutating func release(_ start: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        let address = UInt(bitPattern: start)
        for index in 0..<regionCount {
            guard let region = regions[index], let unit = region.unit(of: address) else { continue }
            if let size = BlockSize(count) {
                region.giveBack(address, size, to: unit)
                hints[size.number] = Place(region: index, unit: unit)
            } else {
                region.giveBackRun(unit, SecretRegion.units(count))
            }
            return true
        }
        return false
    }

    /// Locks pages, unless that would be more than this process should.
    mutating func lock(_ start: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        if limit == 0 { limit = Self.lockableBytes }
        guard locked + count <= limit else { return false }
        guard unsafe mlock(start, count) == 0 else {
            limit = max(locked, 1)
            return false
        }
        locked += count
        return true
    }

    private mutating func room(for size: BlockSize) -> Place? {
        let hint = hints[size.number]
        if regions[hint.region]?.hasRoom(hint.unit, size) == true { return hint }
        for index in 0..<regionCount {
            if let unit = regions[index]?.unitWithRoom(size) { return Place(region: index, unit: unit) }
        }
        let place = emptyUnits(1)
        if let place { regions[place.region]?.prepare(place.unit, size) }
        return place
    }

    /// The first run of this many empty units, locked if that is possible.
    private mutating func emptyUnits(_ count: Int) -> Place? {
        for index in 0..<regionCount {
            guard let region = regions[index], let unit = region.emptyUnits(count) else { continue }
            lock(unit..<unit + count, of: region)
            return Place(region: index, unit: unit)
        }
        guard regionCount < regions.count, let region = SecretRegion() else { return nil }
        regions[regionCount] = region
        regionCount += 1
        lock(SecretRegion.firstUnit..<SecretRegion.firstUnit + count, of: region)
        return Place(region: regionCount - 1, unit: SecretRegion.firstUnit)
    }

    private mutating func lock(_ units: Range<Int>, of region: SecretRegion) {
        for unit in units where !region.isLocked(unit) {
            if unsafe lock(region.address(of: unit), SecretRegion.unitSize) { region.setLocked(unit) }
        }
    }

    /// Half of the process's limit for locked memory, and no more than 4 MiB.
    private static var lockableBytes: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { return 1 }
        return max(Int(clamping: min(limit.rlim_cur / 2, 4 << 20)), 1)
    }
}
