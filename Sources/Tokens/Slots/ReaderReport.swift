// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import Token
import Translation

/// A reader and its card, for a list that people choose from.
package struct ReaderReport: Sendable {
    package let slot: Int
    /// The PC/SC name.
    package let name: String
    /// The name's short form: without maker and numbers, except a number that distinguishes readers of the same form.
    package let nickname: String
    /// Whether there is a card in it, of whatever kind.
    package let isOccupied: Bool
    /// Whether it reaches its card over the air.
    package let isWireless: Bool
    /// The token in it; nil without one, and if it does not answer.
    package let token: TokenReport?
}

extension ReaderReport {
    /// The short form of a reader's name.
    package static func nickname(of name: String, besides others: [String]) -> String {
        var words = name.split(separator: " ").map { String($0) }
        if words.first == "Aktiv" { words.removeFirst() }
        words.removeAll { word in word.allSatisfy { $0.isNumber || "()[]".contains($0) } }
        let short = words.isEmpty ? name : words.joined(separator: " ")
        guard others.contains(short) else { return short }
        let number = 2 + others.count { $0.hasPrefix(short + " ") }
        return "\(short) \(number)"
    }

    /// The name of a token in such a list, as the vendor's has it; this project's, of a key container in a folder.
    ///
    /// - Parameter serial: The serial number, big-endian.
    package static func media(_ serial: [UInt8], isFolder: Bool) -> String {
        isFolder ? "folder_" + serial.hexadecimal : "rutoken_ecp_" + serial.suffix(4).hexadecimal
    }
}
