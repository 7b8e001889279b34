// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// However a message is cut, the result equals that of one call. Of the input's beginning, bytes are the lengths of the
/// pieces, and the rest is key and message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStreaming(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 48 else { return 0 }
    let (lengths, key) = (input.prefix(8).map(Int.init), Array(input[8..<40]))
    // A short input is expanded to a message that is longer than a section of key meshing.
    let message = Array(repeatElement(input.dropFirst(40), count: 1 + lengths[0] % 5).joined())
    hash(GOSTR341194.self, key, message, lengths)
    hash(Streebog256.self, key, message, lengths)
    hash(Streebog512.self, key, message, lengths)
    for meshing in [false, true] { modes28147(key, message, lengths, meshing: meshing) }
    modes(Magma.self, key, message, lengths)
    modes(Kuznyechik.self, key, message, lengths)
    return 0
}

private func hash<Hash: HashFunction>(
    _: Hash.Type, _ key: [UInt8], _ message: [UInt8], _ lengths: [Int]
) {
    var hash = HashState(Hash.algorithm)
    var code = HMAC<Hash>(key: key.span)
    for piece in pieces(message, lengths) {
        hash.update(piece.span)
        code.update(piece.span)
    }
    expect([UInt8](copying: hash.finalize()) == Hash.hash(message), "\(Hash.self)")
    let whole = HMAC<Hash>.authenticate(message.span, key: key.span)
    expect([UInt8](copying: code.finalize()) == [UInt8](copying: whole), "HMAC, \(Hash.self)")
}

private func modes28147(_ key: [UInt8], _ message: [UInt8], _ lengths: [Int], meshing: Bool) {
    let (iv, sBox) = (Array(key.prefix(8)), SBox.cryptoProA)
    compare("28147-89 CNT", message, lengths) { pieces in
        var mode = try GOST28147CNT(key: key.span, iv: iv.span, sBox: sBox, meshing: meshing)
        return pieces.flatMap { [UInt8](copying: mode.apply($0.span)) }
    }
    compare("28147-89 CFB", message, lengths) { pieces in
        var mode = try GOST28147CFB(key: key.span, iv: iv.span, sBox: sBox, meshing: meshing)
        return pieces.flatMap { [UInt8](copying: mode.encrypt($0.span)) }
    }
    compare("28147-89 CFB, deciphering", message, lengths) { pieces in
        var mode = try GOST28147CFB(key: key.span, iv: iv.span, sBox: sBox, meshing: meshing)
        return pieces.flatMap { [UInt8](copying: mode.decrypt($0.span)) }
    }
    compare("28147-89 CBC", message, lengths, unit: 8) { pieces in
        var mode = try GOST28147CBC(key: key.span, iv: iv.span, sBox: sBox, meshing: meshing)
        return try pieces.flatMap { [UInt8](copying: try mode.encrypt($0.span)) }
    }
    compare("28147-89 CBC, deciphering", message, lengths, unit: 8) { pieces in
        var mode = try GOST28147CBC(key: key.span, iv: iv.span, sBox: sBox, meshing: meshing)
        return try pieces.flatMap { [UInt8](copying: try mode.decrypt($0.span)) }
    }
    compare("28147-89 IMIT", message, lengths) { pieces in
        var code = try GOST28147IMIT(key: key.span, sBox: sBox, meshing: meshing)
        for piece in pieces { code.update(piece.span) }
        return [UInt8](copying: code.finalize())
    }
}

private func modes<Cipher: GOSTBlockCipher & ~Copyable>(
    _: Cipher.Type, _ key: [UInt8], _ message: [UInt8], _ lengths: [Int]
) {
    let (half, block) = (Array(key.prefix(Cipher.blockSize / 2)), Array(key.prefix(Cipher.blockSize)))
    compare("\(Cipher.self) CTR", message, lengths) { pieces in
        var mode = try CTR<Cipher>(key: key.span, iv: half.span)
        return pieces.flatMap { [UInt8](copying: mode.update($0.span)) }
    }
    compare("\(Cipher.self) CTR-ACPKM", message, lengths) { pieces in
        var mode = try CTRACPKM<Cipher>(key: key.span, iv: half.span, section: 64)
        return pieces.flatMap { [UInt8](copying: mode.update($0.span)) }
    }
    compare("\(Cipher.self) OFB", message, lengths) { pieces in
        var mode = try OFB<Cipher>(key: key.span, iv: block.span)
        return pieces.flatMap { [UInt8](copying: mode.update($0.span)) }
    }
    compare("\(Cipher.self) CFB", message, lengths) { pieces in
        var mode = try CFB<Cipher>(key: key.span, iv: block.span)
        return pieces.flatMap { [UInt8](copying: mode.encrypt($0.span)) }
    }
    compare("\(Cipher.self) CFB, deciphering", message, lengths) { pieces in
        var mode = try CFB<Cipher>(key: key.span, iv: block.span)
        return pieces.flatMap { [UInt8](copying: mode.decrypt($0.span)) }
    }
    compare("\(Cipher.self) CBC", message, lengths, unit: Cipher.blockSize) { pieces in
        var mode = try CBC<Cipher>(key: key.span, iv: block.span)
        return try pieces.flatMap { [UInt8](copying: try mode.encrypt($0.span)) }
    }
    compare("\(Cipher.self) CBC, deciphering", message, lengths, unit: Cipher.blockSize) { pieces in
        var mode = try CBC<Cipher>(key: key.span, iv: block.span)
        return try pieces.flatMap { [UInt8](copying: try mode.decrypt($0.span)) }
    }
    compare("\(Cipher.self) OMAC", message, lengths) { pieces in
        var code = try OMAC<Cipher>(key: key.span)
        for piece in pieces { code.update(piece.span) }
        return [UInt8](copying: code.finalize())
    }
    compare("\(Cipher.self) OMAC-ACPKM", message, lengths) { pieces in
        var code = try OMACACPKM<Cipher>(key: key.span, section: 64, masterSection: 128)
        for piece in pieces { code.update(piece.span) }
        return [UInt8](copying: code.finalize())
    }
}

/// Expects the same result for the message as a whole and in pieces of whole units; the rest of the message is left
/// out.
private func compare(
    _ name: String, _ message: [UInt8], _ lengths: [Int], unit: Int = 1, _ result: ([[UInt8]]) throws -> [UInt8]
) {
    let message = Array(message.dropLast(message.count % unit))
    let lengths = lengths.map { $0 * unit }
    do {
        expect(try result([message]) == result(pieces(message, lengths, unit)), name)
    } catch {
        fatalError("\(name): \(error)")
    }
}

/// The message in pieces of these lengths, over and over, and of one unit; a length of 0 means an empty piece once.
private func pieces(_ message: [UInt8], _ lengths: [Int], _ unit: Int = 1) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = message[...]
    while !rest.isEmpty {
        for length in lengths + [unit] {
            pieces.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
    }
    return pieces
}

private func expect(_ isTrue: Bool, _ name: String) {
    guard isTrue else { fatalError("\(name): the pieces give another result than the whole") }
}
