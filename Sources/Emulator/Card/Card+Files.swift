// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TokenEnd

/// Selection and transparent files (ISO/IEC 7816-4, 7.1 and 7.2).
extension Card {
    /// SELECT by path, by identifier, of the parent, and of the children one after the other.
    func select(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p2 & ~0x06 == 0, else: .incorrectParameters)
        guard let file = try find(command) else { throw Refusal(.fileNotFound) }
        if file.isDirectory {
            context.directory = file.path
            context.file = nil
        } else {
            context.directory = file.path.parent ?? .root
            context.file = file.path
        }
        guard command.ne != nil else { return Response(.success) }
        return Response(.success, data: file.template(tag: command.p2 & 0x04 == 0 ? 0x6F : 0x62))
    }

    private func find(_ command: borrowing Command) throws(Refusal) -> File? {
        let files = state.fileSystem
        let identifiers = try command.identifiers()
        let wantsNext = command.p2 & 0x02 != 0
        switch command.p1 {
        case 0x00 where identifiers.isEmpty && !wantsNext:
            return files.children(of: context.directory).first
        case 0x00 where wantsNext:
            try require(identifiers.count == 1, else: .wrongLength)
            let later = files.children(of: context.directory).drop { $0.path.identifier != identifiers.first }
            return later.dropFirst().first
        case 0x00:
            guard let identifier = identifiers.first, identifiers.count == 1 else { throw Refusal(.wrongLength) }
            if let child = files[context.directory.appending(identifier)] { return child }
            return identifier == FilePath.rootIdentifier ? files[.root] : nil
        case 0x03 where !wantsNext:
            try require(identifiers.isEmpty, else: .wrongLength)
            return context.directory.parent.flatMap { files[$0] }
        case 0x08 where !wantsNext:
            return files[FilePath(identifiers)]
        default:
            throw Refusal(.incorrectParameters)
        }
    }

    /// READ BINARY of a transparent file or a public key.
    func readBinary(_ command: borrowing Command) throws(Refusal) -> Response {
        let offset = try command.offset()
        guard let ne = command.ne, command.data.isEmpty else { throw Refusal(.wrongLength) }
        let file = try currentFile()
        let content: [UInt8]
        switch file.content {
        case .elementary(let bytes):
            content = bytes
        case .rights(let rights) where rights.type.isPublicKey:
            guard let value = rights.value else { throw Refusal(.referencedDataNotFound) }
            content = [UInt8](copying: value.secret)
        default:
            throw Refusal(.securityStatusNotSatisfied)
        }
        try authorise(.read, on: file, unconditioned: true)
        try require(offset <= content.count, else: .wrongOffset)
        let data = Array(content.dropFirst(offset).prefix(ne))
        return Response(data.count < ne ? .endOfFileReached : .success, data: data)
    }

    /// UPDATE BINARY of a transparent file. The file never grows.
    func updateBinary(_ command: borrowing Command) throws(Refusal) -> Response {
        let offset = try command.offset()
        let file = try currentFile()
        guard case .elementary(var content) = file.content else { throw Refusal(.securityStatusNotSatisfied) }
        try authorise(.update, on: file)
        let end = offset + command.data.count
        try require(end <= content.count, else: .notEnoughMemory)
        content.replaceSubrange(offset..<end, with: [UInt8](copying: command.data))
        state.fileSystem.replaceContent(of: file.path, with: .elementary(content))
        countChange()
        return Response(.success)
    }

    /// DELETE FILE in the current directory. A directory must be empty.
    func deleteFile(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0 && command.p2 == 0, else: .incorrectParameters)
        guard let identifier = try command.identifiers().first, command.data.count == 2 else {
            throw Refusal(.wrongLength)
        }
        let path = context.directory.appending(identifier)
        guard let file = state.fileSystem[path] else { throw Refusal(.fileNotFound) }
        try authorise(.delete, on: file)
        try require(state.fileSystem.children(of: path).isEmpty, else: .incorrectData)
        state.fileSystem.remove(path)
        if context.file == path { context.file = nil }
        if file.rightsFile?.type == .localPIN { context.rights.remove(Int(identifier)) }
        countChange()
        return Response(.success)
    }

    /// The selected file, which is not a directory.
    func currentFile() throws(Refusal) -> File {
        guard let path = context.file, let file = state.fileSystem[path] else { throw Refusal(.fileNotFound) }
        return file
    }

    /// Refuses unless the PINs that were presented allow it. While the token is being formatted everything is allowed.
    func authorise(
        _ operation: AccessConditions.Operation, on file: File, unconditioned: Bool = false
    ) throws(Refusal) {
        try require(
            state.isInitialising
                || file.conditions.permit(operation, to: context.rights, unconditioned: unconditioned),
            else: .securityStatusNotSatisfied)
    }

    func countChange() { state.changeCounter &+= 1 }
}

extension Command {
    /// The data as file identifiers of two bytes.
    borrowing func identifiers() throws(Refusal) -> [UInt16] {
        try require(data.count.isMultiple(of: 2), else: .wrongLength)
        let bytes = data.bytes
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }

    /// The offset of 15 bits in P1 and P2.
    borrowing func offset() throws(Refusal) -> Int {
        try require(p1 & 0x80 == 0, else: .incorrectParameters)
        return Int(p1) << 8 | Int(p2)
    }
}
