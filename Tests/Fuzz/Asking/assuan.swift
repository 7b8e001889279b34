// SPDX-License-Identifier: Apache-2.0
import Asking
import Secrets

/// An authenticator's output, in pieces of the size that the first byte names: the outcome does not depend on the
/// pieces, an answer has at most 1024 bytes, and the first line of data is what another decoder finds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAssuan(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let text = Array(input.dropFirst())
    let whole = read(text, by: 4096)
    guard read(text, by: Int(first) + 1) == whole else { fatalError("pieces make a difference") }
    guard whole.answer.count <= AssuanReader.longestAnswer else { fatalError("a long answer") }
    guard let line = text.split(separator: 0x0A, omittingEmptySubsequences: false).first, line.count < text.count,
        line.starts(with: [0x44, 0x20]), whole.lines.first == .data
    else { return 0 }
    guard whole.answer.starts(with: decoded(line.last == 0x0D ? line.dropLast() : line)) else {
        fatalError("another answer")
    }
    return 0
}

private struct Outcome: Equatable {
    var lines: [AssuanLine] = []
    var answer: [UInt8] = []
    var error: String?
}

private func read(_ text: [UInt8], by size: Int) -> Outcome {
    var reader = AssuanReader()
    var outcome = Outcome()
    var rest = text[...]
    do {
        while true {
            if let line = try reader.next() {
                outcome.lines.append(line)
                continue
            }
            guard !rest.isEmpty else { break }
            try unsafe reader.fill { memory in
                guard !memory.isEmpty else { fatalError("no memory for the rest of a line") }
                let piece = rest.prefix(min(size, memory.count))
                unsafe memory.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
        }
    } catch {
        outcome.error = error.reason.description
    }
    outcome.answer = [UInt8](copying: reader.takeAnswer())
    return outcome
}

/// The data of a line that is right.
private func decoded(_ line: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = line.dropFirst(2)
    while let byte = rest.popFirst() {
        guard byte == 0x25 else {
            bytes.append(byte)
            continue
        }
        bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
    }
    return bytes
}
