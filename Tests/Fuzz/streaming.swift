import GOST
import Secrets

/// However a message is cut, the result is that of one call. Of the input's beginning, octets are the lengths of the
/// pieces, and the rest is key and message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStreaming(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 48 else { return 0 }
    let (lengths, key) = (input.prefix(8).map(Int.init), Array(input[8..<40]))
    // A short input stands for a message that is longer than a section of key meshing.
    let message = Array(repeatElement(input.dropFirst(40), count: 1 + lengths[0] % 32).joined())
    hash(GOSTR341194.self, key, message, lengths)
    hash(Streebog256.self, key, message, lengths)
    hash(Streebog512.self, key, message, lengths)
    for meshing in [false, true] { gamma(key, message, lengths, meshing: meshing) }
    return 0
}

private func hash<Hash: HashFunction & ~Copyable>(
    _: Hash.Type, _ key: [UInt8], _ message: [UInt8], _ lengths: [Int]
) {
    var hash = Hash()
    var code = HMAC<Hash>(key: key.span)
    for piece in pieces(message, lengths) {
        hash.update(piece.span)
        code.update(piece.span)
    }
    expect([UInt8](copying: hash.finalize()) == Hash.hash(message), "\(Hash.self)")
    let whole = HMAC<Hash>.authenticate(message.span, key: key.span)
    expect([UInt8](copying: code.finalize()) == [UInt8](copying: whole), "HMAC, \(Hash.self)")
}

private func gamma(_ key: [UInt8], _ message: [UInt8], _ lengths: [Int], meshing: Bool) {
    let iv = Array(key.prefix(8))
    guard
        var one = try? GOST28147CNT(key: key.span, iv: iv.span, sBox: .cryptoProA, meshing: meshing),
        var many = try? GOST28147CNT(key: key.span, iv: iv.span, sBox: .cryptoProA, meshing: meshing)
    else { fatalError("no cipher") }
    let whole = [UInt8](copying: one.apply(message.span))
    let parts = pieces(message, lengths).flatMap { [UInt8](copying: many.apply($0.span)) }
    expect(parts == whole, "CNT")
}

/// The message in pieces of these lengths, over and over; a length of 0 gives an empty piece once.
private func pieces(_ message: [UInt8], _ lengths: [Int]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = message[...]
    while !rest.isEmpty {
        for length in lengths + [1] {
            pieces.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
    }
    return pieces
}

private func expect(_ isTrue: Bool, _ name: String) {
    guard isTrue else { fatalError("\(name): the pieces give another result than the whole") }
}
