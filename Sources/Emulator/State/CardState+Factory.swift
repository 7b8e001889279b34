// SPDX-License-Identifier: Apache-2.0
import Secrets
import TokenEnd

extension CardState {
    /// A token as it leaves the factory: formatted, with the standard PINs.
    ///
    /// - Parameter label: At most 255 bytes; nil for a token without a label file.
    package static func factory(
        identity: String, serial: [UInt8], label: [UInt8]?, nonce: [UInt8]
    ) -> CardState {
        var state = CardState(identity: identity, serial: serial)
        state.formatNonce = nonce
        for (path, conditions) in formattedTree {
            state.fileSystem.append(File(path: path, conditions: conditions))
        }
        if let label { state.fileSystem.append(labelFile(label)) }
        let conditions = [AccessConditions.administratorPIN, .userPIN]
        for (number, (conditions, value)) in zip(UInt8(1)..., zip(conditions, Card.standardPINs)) {
            let properties: [UInt8] = [RightsFileType.globalPIN.rawValue, 6, RightsFileFlags.text, 0xAA, 0, 0]
            guard let pin = RightsFile(properties: properties, value: Sealed(copying: value)) else { continue }
            state.fileSystem.append(
                File(
                    path: RightsFileType.globalPIN.path(number), size: value.count, conditions: conditions,
                    content: .rights(pin)))
        }
        return state
    }

    /// The directories of a formatted token, in the order of their creation.
    private static var formattedTree: [(FilePath, AccessConditions)] {
        let system: [FilePath] =
            [[], [0x6000], [0x1000], .system] + (0x6001...0x6008).map { FilePath.system.appending($0) } + [
                [0x1000, 0x1001], [0x1000, 0x1001, 0x8001], [0x1000, 0x1001, 0x8001, 0x8001],
                [0x1000, 0x1001, 0x8002], [0x1000, 0x1001, 0x1001], [0x1000, 0x1002], [0x1000, 0x1003],
                [0x1000, 0x1004],
            ]
        let minidriver: [FilePath] = [[0x1000, 0x1002, 0xFFF0], [0x1000, 0x1002, 0xFFF0, 0x0013]]
        return system.map { ($0, $0 == .root ? .root : .systemDirectory) } + minidriver.map { ($0, .minidriver) }
    }

    /// "TN", the version, the length in two bytes (little-endian), and the label.
    private static func labelFile(_ label: [UInt8]) -> File {
        let length = UInt8(truncatingIfNeeded: label.count)
        let content: [UInt8] = [0x54, 0x4E, 0x03, 0, 0, 0, length, 0] + label
        return File(path: .label, size: content.count, conditions: .publicFile, content: .elementary(content))
    }

    /// The label that the token's label file holds; empty if missing.
    var label: [UInt8] {
        guard case .elementary(let content) = fileSystem[.label]?.content, content.starts(with: [0x54, 0x4E]),
            content.count >= 8
        else { return [] }
        return Array(content.dropFirst(8).prefix(Int(content[6]) | Int(content[7]) << 8))
    }
}
