// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
internal import Synchronization

/// Multiples of a public point, by which its signatures are verified in half the time. They are only read.
@safe
final class PreparedPoint: @unchecked Sendable {
    private let multiples: UnsafeMutablePointer<gost_prepared_point>

    /// - Throws: ``GOSTError/libraryFailure``.
    init(_ key: PublicKey) throws(GOSTError) {
        let curve = try KernelCurve.of(key.curve)
        unsafe multiples = .allocate(capacity: 1)
        unsafe multiples.initialize(to: gost_prepared_point())
        unsafe key.bytes.span.withUnsafeBufferPointer {
            unsafe gost_curve_prepare_point(curve.pointer, multiples, $0.baseAddress)
        }
    }

    deinit { unsafe multiples.deallocate() }

    static func withMultiples(
        of point: PreparedPoint?, _ body: (UnsafePointer<gost_prepared_point>?) -> Bool
    ) -> Bool {
        withExtendedLifetime(point) { unsafe body($0?.multiples) }
    }
}

/// The points of public keys that have verified before, as an authority's and a frequent signer's have: 64 of them at most,
/// 400 KiB.
struct PreparedPoints: ~Copyable, Sendable {
    static let shared = PreparedPoints()

    private struct Entry {
        /// Made for the second signature: a key that verifies once does without.
        var point: PreparedPoint?
        var lastUse: UInt64
    }

    private struct Entries {
        var all: [PublicKey: Entry] = [:]
        var uses: UInt64 = 0
    }

    private static let limit = 64
    private let entries = Mutex(Entries())

    /// The point of `key`, if the key has verified before. No other thread is waited for: a process may have forked while one
    /// was here.
    ///
    /// - Throws: ``GOSTError/libraryFailure``.
    func point(of key: PublicKey) throws(GOSTError) -> PreparedPoint? {
        guard let found = entries.withLockIfAvailable({ Self.use(key, &$0) }), found.isKnown else { return nil }
        if let point = found.point { return point }
        let point = try PreparedPoint(key)
        _ = entries.withLockIfAvailable { $0.all[key]?.point = point }
        return point
    }

    private static func use(_ key: PublicKey, _ entries: inout Entries) -> (isKnown: Bool, point: PreparedPoint?) {
        entries.uses &+= 1
        if let entry = entries.all[key] {
            entries.all[key]?.lastUse = entries.uses
            return (true, entry.point)
        }
        if entries.all.count >= limit, let oldest = entries.all.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries.all[oldest.key] = nil
        }
        entries.all[key] = Entry(point: nil, lastUse: entries.uses)
        return (false, nil)
    }
}
