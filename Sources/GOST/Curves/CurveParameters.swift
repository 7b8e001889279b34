// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// The numbers of a parameter set of GOST R 34.10, most significant byte first, all as long as p.
struct CurveParameters: Sendable, Equatable {
    let p, a, b, q: [UInt8]
    /// The coordinates of the point P.
    let x, y: [UInt8]
    /// The number d of the equivalent twisted Edwards curve u² + v² = 1 + d·u²·v², if one exists.
    let d: [UInt8]?

    /// The number of points of the curve divided by q.
    var cofactor: Int { d == nil ? 1 : 4 }

    /// The numbers of a parameter set.
    init(_ name: gost_curve_name) {
        let numbers = unsafe gost_curve_set_at(name)?.pointee.numbers?.pointee
        func bytes(_ number: UnsafePointer<UInt8>?) -> [UInt8] {
            unsafe UnsafeBufferPointer(start: number, count: number == nil ? 0 : numbers?.size ?? 0).reversed()
        }
        unsafe (p, a, b, q) = (bytes(numbers?.p), bytes(numbers?.a), bytes(numbers?.b), bytes(numbers?.q))
        unsafe (x, y) = (bytes(numbers?.x), bytes(numbers?.y))
        d = unsafe numbers?.form == .edwards ? bytes(numbers?.d) : nil
    }

    /// The number that `hex` spells, in `size` bytes.
    static func bytes(_ hex: String, _ size: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        for (place, digit) in hex.reversed().compactMap(\.hexDigitValue).prefix(2 * size).enumerated() {
            bytes[size - 1 - place / 2] |= UInt8(truncatingIfNeeded: digit) << UInt8(4 * (place % 2))
        }
        return bytes
    }
}

/// The curves that have a point of RFC 8133.
extension CurveParameters {
    static let cryptoProA = CurveParameters(.cryptopro_a)
    static let cryptoProB = CurveParameters(.cryptopro_b)
    static let cryptoProC = CurveParameters(.cryptopro_c)
    static let tc26256A = CurveParameters(.tc26_256_a)
    static let tc26512A = CurveParameters(.tc26_512_a)
    static let tc26512B = CurveParameters(.tc26_512_b)
    static let tc26512C = CurveParameters(.tc26_512_c)
}
