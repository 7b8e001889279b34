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
    for algorithm in [CipherAlgorithm.gost28147(.cryptoProA), .magma, .kuznyechik] {
        for mode in CipherMessage.Mode.allCases { compare(algorithm, mode, key, message, lengths) }
    }
    for algorithm in [CipherAlgorithm.magma, .kuznyechik] {
        compare("OMAC, \(algorithm)", message, lengths) { pieces in
            var code = try OMAC(algorithm, key: key.span)
            for piece in pieces { code.update(piece.span) }
            return [UInt8](copying: code.finalize())
        }
    }
    for meshing in [false, true] {
        compare("28147-89 IMIT", message, lengths) { pieces in
            var code = try GOST28147IMIT(key: key.span, sBox: .cryptoProA, meshing: meshing)
            for piece in pieces { code.update(piece.span) }
            return [UInt8](copying: code.finalize())
        }
    }
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

/// Compares a mode that the cipher has, there and back, with one key and with keys that change.
private func compare(
    _ algorithm: CipherAlgorithm, _ mode: CipherMessage.Mode, _ key: [UInt8], _ message: [UInt8], _ lengths: [Int]
) {
    let size = algorithm.blockSize
    if mode == .cnt, algorithm != .gost28147(.cryptoProA) { return }
    let iv = Array(key.prefix(mode == .ecb ? 0 : mode == .ctr ? size / 2 : size))
    for section in [nil, 64, CipherMessage.meshingSection] {
        for isEncryption in [false, true] {
            let unit = mode == .ecb || mode == .cbc ? size : 1
            compare("\(algorithm), \(mode)", message, lengths, unit: unit) { pieces in
                var cipher = try CipherMessage(algorithm, mode, key: key.span, iv: iv.span, section: section)
                return try pieces.flatMap {
                    [UInt8](copying: try isEncryption ? cipher.encrypt($0.span) : cipher.decrypt($0.span))
                }
            }
        }
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
