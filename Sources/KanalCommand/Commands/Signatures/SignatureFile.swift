// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Locking
import Terminal
import Translation

/// A file of a signature that is being written.
final class SignatureFile: Sendable {
    private let destination: Destination
    private let text: SignatureText?
    private let state = Lock(State())

    fileprivate struct State {
        /// Bytes that have no digits yet: fewer than three.
        var pending: [UInt8] = []
        /// The number of digits in the last line.
        var column = 0
        var hasBegun = false
    }

    init(_ destination: Destination, _ encoding: SignatureEncoding) {
        self.destination = destination
        text =
            switch encoding {
            case .binary: nil
            // A line of a terminal, or of a shell's variable, ends.
            case .base64: SignatureText(after: destination.name == nil ? [0x0A] : [])
            case .text(let text): text
            }
    }

    /// The file's name; nil for standard output.
    var name: String? { destination.name }

    func write(_ bytes: [UInt8]) throws {
        guard let text else { return try destination.write(bytes) }
        let digits = state.withLock { state in
            let all = state.pending + bytes
            let count = all.count - all.count % 3
            state.pending = Array(all[count...])
            return state.lines(of: all[..<count], text)
        }
        try destination.write(digits)
    }

    /// Puts the file in its place.
    func finish() throws {
        if let text {
            let rest = state.withLock { state in
                defer { state.pending = [] }
                return state.lines(of: state.pending[...], text)
            }
            try destination.write(rest + text.after)
        }
        try destination.finish()
    }
}

extension SignatureFile.State {
    /// The digits of bytes, in lines that go on with the last one.
    fileprivate mutating func lines(of bytes: ArraySlice<UInt8>, _ text: SignatureText) -> [UInt8] {
        var lines: [UInt8] = hasBegun ? [] : text.before
        hasBegun = true
        var digits = Data(bytes).base64EncodedData()[...]
        guard let width = text.width, width > 0 else { return lines + digits }
        while !digits.isEmpty {
            if column == width {
                lines += text.lineBreak
                column = 0
            }
            let part = digits.prefix(width - column)
            lines += part
            column += part.count
            digits = digits.dropFirst(part.count)
        }
        return lines
    }
}
