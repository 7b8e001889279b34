// SPDX-License-Identifier: Apache-2.0
import APDU

extension Token {
    /// Gives the token a name, or takes it away. Needs User's login.
    ///
    /// - Parameter label: UTF-8, at most 255 bytes.
    package func setLabel(_ label: [UInt8]) throws(TokenError) {
        guard label.count <= 255 else { throw .unsupported }
        try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            let size = try optional { () throws(TokenError) in try card.select(.label).size }
            if size.map({ $0 < Transaction.labelFileSize(label) }) != false {
                if size != nil { try card.delete(0x1000, in: .system) }
                try card.createLabelFile(for: label)
            }
            try card.writeLabel(label)
        }
    }
}

extension Transaction {
    /// Header and name.
    fileprivate static func labelFileSize(_ label: [UInt8]) -> Int { 8 + label.count }

    /// Creates the label file, which becomes the current one.
    func createLabelFile(for label: [UInt8]) throws(TokenError) {
        try select(.system)
        try perform(
            .create(
                0x1000, .elementary, size: Self.labelFileSize(label),
                access: .file(read: .anybody, update: .user, delete: .user)))
    }

    /// Writes into the selected label file: `TN` with length 0, the name, then the length, so that a truncated name
    /// does not count.
    func writeLabel(_ label: [UInt8]) throws(TokenError) {
        try updateSelected(Array("TN".utf8) + [0x03, 0x00, 0x00, 0x00, 0x00, 0x00])
        guard !label.isEmpty else { return }
        try updateSelected(label, at: 8)
        var length: [UInt8] = []
        length.appendLittleEndianUInt16(label.count)
        try updateSelected(length, at: 6)
    }
}
