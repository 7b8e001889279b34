// SPDX-License-Identifier: Apache-2.0
package import APDU
import Emulator

/// The emulated card as another program uses it, whose commands are not counted: CryptoPro CSP with its containers.
extension EmulatedReader {
    package struct Refused: Error {
        package let status: StatusWord
    }

    /// Makes a container.
    ///
    /// - Parameter files: By the last digit of their identifiers. A file's size is that of its contents.
    package func storeContainer(_ files: [UInt8: [UInt8]], in directory: UInt16 = 0x0A00) throws {
        try asUser {
            try select([0x1000, 0x1003])
            try create(directory, size: 0, type: 0x38, [2, 2, 0, 0, 0, 0, 0xFF])
            try add(files, in: directory)
        }
    }

    /// Makes files of a container in its directory.
    package func addFiles(_ files: [UInt8: [UInt8]], in directory: UInt16 = 0x0A00) throws {
        try asUser { try add(files, in: directory) }
    }

    private func add(_ files: [UInt8: [UInt8]], in directory: UInt16) throws {
        for (number, content) in files.sorted(by: { $0.key < $1.key }) {
            try select([0x1000, 0x1003, directory])
            let file = directory & 0xFF00 | UInt16(number)
            try create(file, size: content.count, type: 0x01, [number == 6 ? 0 : 2, 2, 0, 0, 0, 0, 2])
            try update(content)
        }
    }

    /// Rewrites a file of a container, from its beginning.
    package func rewriteContainer(_ number: UInt8, _ content: [UInt8], in directory: UInt16 = 0x0A00) throws {
        try asUser { try rewrite(number, content, in: directory) }
    }

    /// The same by the login of the program that works with the card now.
    package func rewrite(_ number: UInt8, _ content: [UInt8], in directory: UInt16 = 0x0A00) throws {
        try select([0x1000, 0x1003, directory, directory & 0xFF00 | UInt16(number)])
        try update(content)
    }

    /// Deletes a file of a container.
    package func deleteContainer(_ number: UInt8, in directory: UInt16 = 0x0A00) throws {
        try asUser {
            try select([0x1000, 0x1003, directory])
            let file = directory & 0xFF00 | UInt16(number)
            try perform(Command(0x00, 0xE4, 0x00, 0x00, bytes: [UInt8(file >> 8), UInt8(truncatingIfNeeded: file)]))
        }
    }

    /// Selects a file, which ends what another program had selected.
    package func select(_ path: [UInt16]) throws {
        let bytes = path.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        try perform(Command(0x00, 0xA4, 0x08, 0x00, bytes: bytes))
    }

    private func asUser(_ body: () throws -> Void) throws {
        try perform(Command(0x00, 0x20, 0x00, 0x02, bytes: Array(Self.userPIN.utf8)))
        try body()
        try perform(Command(0x80, 0x40, 0x00, 0x02))
    }

    private func create(_ file: UInt16, size: Int, type: UInt8, _ conditions: [UInt8]) throws {
        let access: [UInt8] = [0x43] + conditions + [UInt8](repeating: 0, count: 7)
        let content: [UInt8] =
            [0x80, 2, UInt8(size >> 8), UInt8(truncatingIfNeeded: size), 0x82, 2, type, 0]
            + [0x83, 2, UInt8(file >> 8), UInt8(truncatingIfNeeded: file), 0x86, 15] + access
        try perform(Command(0x00, 0xE0, 0x00, 0x00, bytes: [0x62, UInt8(content.count)] + content))
    }

    private func update(_ content: [UInt8]) throws {
        for start in stride(from: 0, to: content.count, by: 255) {
            let part = Array(content[start...].prefix(255))
            try perform(Command(0x00, 0xD6, UInt8(start >> 8), UInt8(truncatingIfNeeded: start), bytes: part))
        }
    }

    private func perform(_ command: borrowing Command) throws {
        let status = try card.transmit(command).status
        guard status == .success else { throw Refused(status: status) }
    }
}
