// SPDX-License-Identifier: Apache-2.0
package import APDU
import Secrets

/// The effect of a whole command on the token (Card, 3), as far as a share judges it.
///
/// A command counts as one of them only if every byte that its meaning depends on is known. All others are unknown:
/// other classes, parameters and objects may log in, or use a key, in a way that is never confirmed.
package enum SharedAction {
    case reading
    /// VERIFY of User's PIN, of a local one, or of the administrator's.
    case login, localLogin, administratorLogin
    /// The preparation for the use of a key: its choice, and a hash.
    case preparation
    case keyUse
    case writing
    /// PINs, formatting.
    case administration
    case unknown

    package init(_ command: borrowing Command) {
        self =
            switch (command.cla, command.ins, command.p1, command.p2) {
            case (0x00, 0xA4, 0x00, _), (0x00, 0xA4, 0x03, _), (0x00, 0xA4, 0x08, _):
                command.p2 & ~0x06 == 0 ? .reading : .unknown
            case (0x00, 0xB0, _, _), (0x00, 0xCA, 0x01, _), (0x00, 0x84, 0x00, 0x00), (0x80, 0x71, 0x00, 0x00),
                (0x80, 0x7E, 0x00, 0x00), (0x80, 0x53, 0x11...0x12, 0x00):
                command.data.isEmpty ? .reading : .unknown
            case (0x80, 0x40, 0x00, 0x00...0x1F): .reading
            // Without data it returns the tries that are left.
            case (0x00, 0x20, 0x00, 0x01): command.data.isEmpty ? .reading : .administratorLogin
            case (0x00, 0x20, 0x00, 0x02): command.data.isEmpty ? .reading : .login
            case (0x00, 0x20, 0x00, 0x83...0x9F): command.data.isEmpty ? .reading : .localLogin
            case (0x00, 0x22, 0x41, _), (0x00, 0x22, 0x81, 0xB6), (0x00, 0x22, 0xF4, 0x00), (0x00, 0x2A, 0x90, 0x80):
                .preparation
            case (0x00, 0x2A, 0x9E, 0x9A), (0x00, 0x2A, 0x9E, 0x00), (0x00, 0x2A, 0x80, 0x86),
                (0x00, 0x2A, 0x86, 0x80), (0x00, 0x2A, 0x00, 0xA8), (0x00, 0x86, 0x00, 0x00):
                .keyUse
            case (0x00, 0xE0, 0x00, 0x00): Self.making([UInt8](copying: command.data))
            case (0x00, 0x24, 0x01, 0x00), (0x00, 0x46, 0x80, _), (0x00, 0xD6, _, _), (0x00, 0xE4, 0x00, 0x00),
                (0x00, 0xDA, 0x01, 0x72...0x75):
                .writing
            case (0x00, 0x24, 0x01, 0x01...0x02), (0x00, 0x2C, 0x03, 0x01...0x02), (0x00, 0xDA, 0x01, 0x61...0x62),
                (0x80, 0x7A, 0x00, 0x00), (0x80, 0x7A, 0x02, 0x00), (0x80, 0x8A, 0x00, 0x00), (0x80, 0x84, 0x4E, 0x19):
                .administration
            default: .unknown
            }
    }

    /// The permissions of which one is enough.
    package var permissions: Share.Permissions {
        switch self {
        case .reading: .all
        case .login: [.sign, .write]
        case .preparation, .keyUse: .sign
        case .writing: .write
        case .localLogin, .administratorLogin, .administration, .unknown: .administer
        }
    }

    /// CREATE FILE (Card, 6.4): its template defines whether a file, a key or a PIN is made.
    private static func making(_ data: [UInt8]) -> SharedAction {
        var cursor = ByteCursor(data)
        guard let template = try? cursor.object(), [0x62, 0x6F].contains(template.tag), cursor.isAtEnd else {
            return .unknown
        }
        var objects: [UInt8: [UInt8]] = [:]
        var body = ByteCursor(template.value)
        while !body.isAtEnd {
            guard let object = try? body.object(), objects.updateValue(object.value, forKey: object.tag) == nil else {
                return .unknown
            }
        }
        switch (objects[0x82]?.first, objects[0x85]?.first) {
        case (0x01, _), (0x38, _): return .writing
        case (0x10, 0x01), (0x10, 0x21): return .administration
        case (0x10, 0x02), (0x10, 0x22), (0x10, 0x42), (0x10, 0x82): return .writing
        case (0x10, 0x03), (0x10, 0x13), (0x10, 0x23), (0x10, 0x33), (0x10, 0x43), (0x10, 0x53), (0x10, 0x63),
            (0x10, 0x73):
            return .writing
        default: return .unknown
        }
    }
}
