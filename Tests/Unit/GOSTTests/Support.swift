// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

extension Secret {
    /// The bytes, to be compared with a vector's.
    var array: [UInt8] { bytes.indices.map { bytes[$0] } }
}

extension JSON {
    /// The vector's name in its file.
    var name: String { self.id.text ?? "" }

    /// The S-box that the vector names.
    var sBox: SBox {
        get throws { try #require(SBox.all.first { $0.name == self.sbox.text }) }
    }
}

/// The outcome of an operation: its result's bytes or its error.
func outcome(_ body: () throws(GOSTError) -> Secret) -> Result<[UInt8], GOSTError> {
    do { return .success(try body().array) } catch { return .failure(error) }
}

extension JSON {
    /// The curve that the vector names.
    var namedCurve: Curve {
        get throws { try #require(Curve.all.first { $0.name == self.curve.text }) }
    }

    /// The number with this name, written big-endian, as `size` bytes, little-endian.
    func number(_ name: String, _ size: Int) -> [UInt8] {
        let digits = self[name].text ?? ""
        let bytes = [UInt8](hex: digits.count % 2 == 0 ? digits : "0" + digits).reversed()
        return bytes + [UInt8](repeating: 0, count: max(size - bytes.count, 0))
    }

    /// X ‖ Y, little-endian, of the point with these coordinates.
    func point(_ x: String, _ y: String) throws -> [UInt8] {
        let size = try namedCurve.coordinateSize
        return number(x, size) + number(y, size)
    }

    /// The signature s ‖ r, big-endian.
    func signature(_ curve: Curve) -> [UInt8] {
        ["s", "r"].flatMap { number($0, curve.coordinateSize).reversed() }
    }
}

/// A random source that repeats one byte.
struct ConstantRandom: RandomSource {
    let byte: UInt8

    func fill(_ bytes: inout MutableSpan<UInt8>) { bytes.update(repeating: byte) }
}

/// A random source that fails.
struct NoRandom: RandomSource {
    func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) { throw RandomUnavailable() }
}

/// `count` bytes without a pattern that a cipher would know, the same in every run.
func bytes(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}

/// A message cut into pieces of uneven lengths, multiples of `unit`; whole without a seed.
struct Pieces {
    let pieces: [[UInt8]]

    init(_ message: [UInt8], seed: Int? = nil, unit: Int = 1) {
        guard let seed else {
            pieces = [message]
            return
        }
        var (pieces, start, length) = ([[UInt8]](), 0, seed)
        while start < message.count {
            pieces.append(Array(message[start..<min(start + length * unit, message.count)]))
            (start, length) = (start + length * unit, length * 7 % 211)
        }
        self.pieces = pieces
    }

    /// The results for all pieces, joined.
    func map(_ body: ([UInt8]) throws -> Secret) rethrows -> [UInt8] {
        var result: [UInt8] = []
        for piece in pieces { result += try body(piece).array }
        return result
    }

    func forEach(_ body: ([UInt8]) -> Void) { pieces.forEach(body) }
}

/// The signed part of an X.509 object, its signature, and the public key in it.
struct SignedObject {
    let content, signature: [UInt8]
    private(set) var subjectPublicKeyInfo: [UInt8]?

    init(_ der: [UInt8]) {
        let parts = Self.elements(Self.elements(der[...])[0].contents)
        content = Array(parts[0].whole)
        signature = Array(parts[2].contents.dropFirst())
        for field in Self.elements(parts[0].contents) where field.whole.first == 0x30 {
            let inner = Self.elements(field.contents)
            if inner.count == 2, inner[1].whole.first == 0x03 { subjectPublicKeyInfo = Array(field.whole) }
        }
    }

    private static func elements(_ der: ArraySlice<UInt8>) -> [(whole: ArraySlice<UInt8>, contents: ArraySlice<UInt8>)]
    {
        var (rest, elements) = (der, [(whole: ArraySlice<UInt8>, contents: ArraySlice<UInt8>)]())
        while rest.count >= 2 {
            let first = Int(rest[rest.startIndex + 1])
            let bytes = first < 0x80 ? 0 : first - 0x80
            let digits = rest.dropFirst(2).prefix(bytes)
            let count = bytes == 0 ? first : digits.reduce(0) { $0 << 8 | Int($1) }
            let whole = rest.prefix(2 + bytes + count)
            elements.append((whole, whole.suffix(count)))
            rest = rest.dropFirst(whole.count)
        }
        return elements
    }
}
