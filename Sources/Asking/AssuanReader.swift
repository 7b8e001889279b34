// SPDX-License-Identifier: Apache-2.0

package import Secrets
package import Translation

/// A violation of the protocol by an authenticator.
package struct MalformedAssuan: Error, Equatable {
    package let reason: Phrase
}

/// A line of an authenticator. Its data are kept by the reader.
package enum AssuanLine: Equatable {
    case ok
    /// The code, without the source of the error.
    case error(Int)
    case data
    /// The word after "S", if it counts.
    case status(isRepeated: Bool)
    case comment
}

/// Reads an authenticator's lines. All of them are in the memory of secrets, from the pipe on.
///
/// A line has at most 1000 bytes, all together have at most 64 KiB, and an answer at most 1024: no user types more.
package struct AssuanReader: ~Copyable {
    package static let mostBytes = 65_536
    package static let longestAnswer = 1024

    private var buffer = Secret(count: 4096)
    private var start = 0
    private var end = 0
    private var total = 0
    private var answer = Secret(count: AssuanReader.longestAnswer)
    private var answerCount = 0

    package init() {}

    /// Lets `read` put bytes into free memory, of which there is some when ``next()`` has reported that a line lacks its
    /// end.
    ///
    /// - Parameter read: Returns the number of bytes that it has written; 0 or less if none.
    package mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) throws(MalformedAssuan) {
        if start > 0 {
            let (from, count) = (start, end - start)
            for index in 0..<count {
                let byte = buffer.bytes[from + index]
                var bytes = buffer.mutableBytes
                bytes[index] = byte
            }
            end -= start
            start = 0
        }
        let used = end
        let size = buffer.count
        var bytes = buffer.mutableBytes
        let count = unsafe bytes.withUnsafeMutableBytes { memory in
            unsafe read(UnsafeMutableRawBufferPointer(rebasing: memory[used...]))
        }
        guard count > 0 else { return }
        end = min(used + count, size)
        total += count
        guard total <= Self.mostBytes else { throw MalformedAssuan(reason: "too much output") }
    }

    /// The next line; nil if more bytes are needed.
    package mutating func next() throws(MalformedAssuan) -> AssuanLine? {
        var stop = start
        while stop < end, buffer.bytes[stop] != 0x0A { stop += 1 }
        guard stop - start <= AssuanText.longestLine + 1 else { throw MalformedAssuan(reason: "a line too long") }
        guard stop < end else { return nil }
        var line = start..<stop
        start = stop + 1
        if let last = line.last, buffer.bytes[last] == 0x0D { line = line.dropLast() }
        if begins(line, "OK") { return .ok }
        if begins(line, "ERR") { return .error(try code(line.dropFirst(3))) }
        if begins(line, "D"), line.count > 1 {
            try decode(line.dropFirst(2))
            return .data
        }
        if begins(line, "S") { return .status(isRepeated: begins(line.dropFirst(2), "PIN_REPEATED")) }
        if let first = line.first, buffer.bytes[first] == UInt8(ascii: "#") { return .comment }
        throw MalformedAssuan(reason: "an invalid line")
    }

    /// The data since the last time.
    package mutating func takeAnswer() -> Secret {
        let taken = answer.extracting(0..<answerCount)
        answer = Secret(count: Self.longestAnswer)
        answerCount = 0
        return taken
    }

    /// Whether a line has this word first.
    private func begins(_ line: Range<Int>, _ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard line.count >= count else { return false }
        let letters = unsafe UnsafeBufferPointer(start: word.utf8Start, count: count)
        for index in 0..<count {
            let byte = buffer.bytes[line.lowerBound + index]
            guard unsafe byte == letters[index] else { return false }
        }
        return line.count == count || buffer.bytes[line.lowerBound + count] == 0x20
    }

    private func code(_ text: Range<Int>) throws(MalformedAssuan) -> Int {
        var number = 0, digits = 0
        for index in text.dropFirst() {
            let byte = buffer.bytes[index]
            guard (0x30...0x39).contains(byte), digits < 10 else { break }
            number = number * 10 + Int(byte - 0x30)
            digits += 1
        }
        guard digits > 0 else { throw MalformedAssuan(reason: "an error without a number") }
        return number & 0xFFFF
    }

    /// Appends the data of a line to the answer.
    private mutating func decode(_ text: Range<Int>) throws(MalformedAssuan) {
        var index = text.lowerBound
        while index < text.upperBound {
            var byte = buffer.bytes[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard index + 1 < text.upperBound, let high = digit(index), let low = digit(index + 1) else {
                    throw MalformedAssuan(reason: "data with a wrong escape")
                }
                byte = high << 4 | low
                index += 2
            }
            let position = answerCount
            guard position < Self.longestAnswer else { throw MalformedAssuan(reason: "an answer too long") }
            var bytes = answer.mutableBytes
            bytes[position] = byte
            answerCount += 1
        }
    }

    private func digit(_ index: Int) -> UInt8? {
        switch buffer.bytes[index] {
        case let byte where (0x30...0x39).contains(byte): byte - 0x30
        case let byte where (0x41...0x46).contains(byte): byte - 0x37
        case let byte where (0x61...0x66).contains(byte): byte - 0x57
        default: nil
        }
    }
}
