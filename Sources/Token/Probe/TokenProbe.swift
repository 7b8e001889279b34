// SPDX-License-Identifier: Apache-2.0

import Secrets
import Translation

/// The answers of a token to known, reading commands, without data that identifies it, its owner or its contents.
///
/// Owners of real tokens send it, so that the pages on cards and models can be completed.
package struct TokenProbe: Sendable, Equatable {
    /// The way of the commands to the token.
    package enum Way: String, Sendable {
        case plain
        /// In the secure channel.
        case channel
        /// None: the token accepts commands in a channel alone, which is not open.
        case closed
    }

    /// A command and its answer.
    package struct Exchange: Sendable, Equatable {
        package let command: [UInt8]
        package let status: UInt16
        /// The answer's bytes; nil for each that is not shown.
        package let answer: [UInt8?]
        package let time: Duration
    }

    package let way: Way
    package let model: TokenModel
    /// The answer to reset.
    package let atr: [UInt8]
    package var exchanges: [Exchange] = []
    /// Whether all commands were answered, whatever the answer.
    package var isComplete = true

    init(_ way: Way, _ model: TokenModel, atr: [UInt8]) {
        self.way = way
        self.model = model
        self.atr = atr
    }
}

/// The part of an answer that a probe shows.
enum ProbeView: Sendable {
    case everything
    case length
    case start(Int)
    /// Token information (Card, 5.2): without the serial number, and without bytes that were never explained.
    case tokenInformation
    /// A file's template: those objects that name sizes, kinds, identifiers and conditions.
    case template

    /// - Parameter personal: Bytes that are never shown, wherever they stand.
    func shown(_ answer: [UInt8], without personal: PersonalBytes) -> [UInt8?] {
        var shown = [UInt8?](repeating: nil, count: answer.count)
        for index in visible(answer) where answer.indices.contains(index) { shown[index] = answer[index] }
        for index in personal.places(in: answer) { shown[index] = nil }
        return shown
    }

    private func visible(_ answer: [UInt8]) -> [Int] {
        switch self {
        case .everything: Array(answer.indices)
        case .length: []
        case .start(let count): Array(answer.indices.prefix(count))
        case .tokenInformation: Self.visibleInformation(answer)
        case .template: Self.visibleTemplate(answer)
        }
    }

    private static func visibleInformation(_ answer: [UInt8]) -> [Int] {
        var visible: [Int] = []
        for outer in objects(answer, answer.indices) {
            visible += outer.header
            guard outer.tag == 0x40 else {
                visible += outer.value
                continue
            }
            for inner in objects(answer, outer.value) {
                visible += inner.header
                switch inner.tag {
                // Kind and versions.
                case 0x01: visible += inner.value.prefix(7)
                case 0x02, 0x03: visible += inner.value
                default: break
                }
            }
        }
        return visible
    }

    private static func visibleTemplate(_ answer: [UInt8]) -> [Int] {
        guard let outer = objects(answer, answer.indices).first else { return [] }
        return objects(answer, outer.value).reduce(into: Array(outer.header)) { visible, inner in
            visible += inner.header
            if [0x80, 0x81, 0x82, 0x83, 0x85, 0x86, 0x8A, 0x8F].contains(inner.tag) { visible += inner.value }
        }
    }

    /// Objects with one byte of tag and one of length, up to the first that does not fit.
    private static func objects(
        _ bytes: [UInt8], _ range: Range<Int>
    ) -> [(tag: UInt8, header: Range<Int>, value: Range<Int>)] {
        var objects: [(tag: UInt8, header: Range<Int>, value: Range<Int>)] = []
        var start = range.lowerBound
        while start + 2 <= range.upperBound {
            let end = start + 2 + Int(bytes[start + 1])
            guard bytes[start + 1] < 0x80, end <= range.upperBound else { break }
            objects.append((bytes[start], start..<start + 2, start + 2..<end))
            start = end
        }
        return objects
    }
}

/// Bytes that identify a token or its owner, in the forms in which an answer may have them.
struct PersonalBytes: Sendable {
    private let forms: [[UInt8]]

    init(serial: [UInt8], label: [UInt8]?) {
        let digits = serial.suffix(4)
        let number = digits.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let hexadecimal = Array(digits).hexadecimal
        var forms = [serial, Array(digits), Array("\(number)".utf8), Array(hexadecimal.utf8)]
        forms.append(Array(hexadecimal.uppercased().utf8))
        if let label, label.count > 2 {
            forms.append(label)
            let units = Array(String(decoding: label, as: UTF8.self).utf16)
            forms.append(units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
        }
        self.forms = forms.filter { $0.count > 2 && $0.contains { $0 != 0 } }.flatMap { [$0, $0.reversed()] }
    }

    /// The indices of all bytes of `answer` that are a part of one.
    func places(in answer: [UInt8]) -> [Int] {
        forms.flatMap { form in
            answer.indices.filter { answer[$0...].starts(with: form) }.flatMap { $0..<$0 + form.count }
        }
    }
}
