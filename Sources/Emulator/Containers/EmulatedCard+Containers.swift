// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets

/// The card as another program uses it, CryptoPro CSP with its containers. Its commands do not go through the reader, so that
/// the reader counts and traces the host's commands alone.
extension EmulatedCard {
    /// The size of a container's file.
    package enum ContainerSize: Sendable {
        /// The length of its contents.
        case exact
        /// The length on a Rutoken Lite, or of its contents if they are longer; FF fills the rest.
        case lite

        fileprivate func size(of number: UInt8, _ count: Int) -> Int {
            guard self == .lite else { return count }
            return switch number {
            case 3: max(2523, count)
            case 6: max(300, count)
            case 2, 5: max(70, count)
            default: max(60, count)
            }
        }
    }

    /// The directory of a token's containers, and the directory that CryptoPro CSP makes first in it.
    static let containers: FilePath = [0x1000, 0x1003]
    package static let firstContainer: UInt16 = 0x0A00

    /// The directories of the containers, in the order of their making.
    package var containerDirectories: [UInt16] { directories(in: Self.containers) }

    /// Makes a container.
    ///
    /// - Parameter files: By the last digit of their identifiers.
    package func storeContainer(
        _ files: [UInt8: [UInt8]], in directory: UInt16 = firstContainer, _ size: ContainerSize = .lite
    ) throws(EmulatorError) {
        try asUser { () throws(EmulatorError) in
            try select(Self.containers.identifiers)
            try create(directory, size: 0, type: 0x38, [2, 2, 0, 0, 0, 0, 0xFF])
            try add(files, in: directory, size)
        }
    }

    /// Makes files of a container in its directory.
    package func addFiles(
        _ files: [UInt8: [UInt8]], in directory: UInt16 = firstContainer, _ size: ContainerSize = .lite
    ) throws(EmulatorError) {
        try asUser { () throws(EmulatorError) in try add(files, in: directory, size) }
    }

    /// The name is read without a PIN, the others by User; User alone writes and deletes.
    private func add(
        _ files: [UInt8: [UInt8]], in directory: UInt16, _ size: ContainerSize
    ) throws(EmulatorError) {
        for (number, content) in files.sorted(by: { $0.key < $1.key }) {
            let size = size.size(of: number, content.count)
            try select(Self.containers.identifiers + [directory])
            try create(Self.file(number, directory), size: size, type: 0x01, [number == 6 ? 0 : 2, 2, 0, 0, 0, 0, 2])
            try update(content + [UInt8](repeating: 0xFF, count: size - content.count))
        }
    }

    /// The contents of a container's file, with its filling.
    func containerFile(_ number: UInt8, in directory: UInt16) throws(EmulatorError) -> [UInt8] {
        try selectFile(number, in: directory)
        var content: [UInt8] = []
        while true {
            let command = Command(0x00, 0xB0, UInt8(content.count >> 8), UInt8(content.count & 0xFF), ne: 256)
            let response = try answer(to: command)
            content += response.data
            guard response.status == .success else {
                guard response.status == .endOfFileReached else { throw .refused(response.status) }
                return content
            }
        }
    }

    /// Rewrites a file of a container, from its beginning.
    package func rewriteContainer(
        _ number: UInt8, _ content: [UInt8], in directory: UInt16 = firstContainer
    ) throws(EmulatorError) {
        try asUser { () throws(EmulatorError) in try rewrite(number, content, in: directory) }
    }

    /// The same by the login of the program that works with the card now.
    package func rewrite(
        _ number: UInt8, _ content: [UInt8], in directory: UInt16 = firstContainer
    ) throws(EmulatorError) {
        try selectFile(number, in: directory)
        try update(content)
    }

    /// Deletes a file of a container.
    package func deleteContainer(_ number: UInt8, in directory: UInt16 = firstContainer) throws(EmulatorError) {
        try asUser { () throws(EmulatorError) in
            try select(Self.containers.identifiers + [directory])
            try perform(Command(0x00, 0xE4, 0x00, 0x00, bytes: Self.bytes([Self.file(number, directory)])))
        }
    }

    /// Logs User in, and out again, whatever login was active before: the card has one login for all programs.
    func asUser(_ body: () throws(EmulatorError) -> Void) throws(EmulatorError) {
        guard let pin = userPIN else { throw .refused(.referencedDataNotFound) }
        try perform(Command(0x80, 0x40, 0x00, 0x00))
        try perform(Command(0x00, 0x20, 0x00, 0x02, data: pin.secret.copy()))
        defer { _ = try? answer(to: Command(0x80, 0x40, 0x00, 0x00)) }
        try body()
    }

    private func selectFile(_ number: UInt8, in directory: UInt16) throws(EmulatorError) {
        try select(Self.containers.identifiers + [directory, Self.file(number, directory)])
    }

    /// Selects a file, which ends what another program had selected.
    package func select(_ path: [UInt16]) throws(EmulatorError) {
        try perform(Command(0x00, 0xA4, 0x08, 0x00, bytes: Self.bytes(path)))
    }

    private func create(
        _ file: UInt16, size: Int, type: UInt8, _ conditions: [UInt8]
    ) throws(EmulatorError) {
        let access: [UInt8] = [0x43] + conditions + [UInt8](repeating: 0, count: 7)
        let content: [UInt8] =
            [0x80, 2, UInt8(truncatingIfNeeded: size >> 8), UInt8(truncatingIfNeeded: size), 0x82, 2, type, 0]
            + [0x83, 2] + Self.bytes([file]) + [0x86, 15] + access
        try perform(Command(0x00, 0xE0, 0x00, 0x00, bytes: [0x62, UInt8(content.count)] + content))
    }

    private func update(_ content: [UInt8]) throws(EmulatorError) {
        for start in stride(from: 0, to: content.count, by: 255) {
            let part = Array(content[start...].prefix(255))
            try perform(Command(0x00, 0xD6, UInt8(start >> 8), UInt8(start & 0xFF), bytes: part))
        }
    }

    private func perform(_ command: borrowing Command) throws(EmulatorError) {
        let status = try answer(to: command).status
        guard status == .success else { throw .refused(status) }
    }

    private func answer(to command: borrowing Command) throws(EmulatorError) -> Response {
        do { return try transmit(command) } catch { throw .refused(.wrongLength) }
    }

    private static func file(_ number: UInt8, _ directory: UInt16) -> UInt16 { directory & 0xFF00 | UInt16(number) }

    private static func bytes(_ identifiers: [UInt16]) -> [UInt8] {
        identifiers.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }
}
