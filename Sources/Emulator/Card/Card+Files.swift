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

/// CREATE FILE (ISO/IEC 7816-9, 6.1).
extension Card {
    func createFile(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0 && command.p2 == 0, else: .incorrectParameters)
        guard let request = try? FileRequest(parsing: [UInt8](copying: command.data)) else {
            throw Refusal(.incorrectData)
        }
        let file = try file(for: request)
        try authorise(request.kind == .rights ? .createRightsFile : .createFile, below: file)
        try require(!exists(file), else: .fileAlreadyExists)
        try require(file.memory <= state.fileSystem.freeMemory, else: .notEnoughMemory)
        state.fileSystem.append(file)
        countChange()
        switch request.kind {
        case .directory:
            context.directory = file.path
            context.file = nil
        case .elementary: context.file = file.path
        case .rights: break
        }
        return Response(.success)
    }

    /// The file to be made. Keys and local PINs are filed by their type, everything else in the current directory.
    private func file(for request: FileRequest) throws(Refusal) -> File {
        var path = context.directory.appending(request.identifier)
        let content: File.Content
        switch request.kind {
        case .directory:
            if request.identifier == FilePath.rootIdentifier { path = .root }
            content = .directory
        case .elementary:
            try require(request.size < 0x8000, else: .incorrectData)
            content = .elementary([UInt8](repeating: 0, count: request.size))
        case .rights:
            let rights = try rightsFile(for: request)
            path = rights.type.path(UInt8(truncatingIfNeeded: request.identifier))
            content = .rights(rights)
        }
        try require(path == .root || !FilePath.reservedIdentifiers.contains(request.identifier), else: .incorrectData)
        try require(path.identifiers.count <= FileSystem.maximumDepth, else: .notEnoughMemory)
        return File(path: path, size: request.size, conditions: request.conditions, content: content)
    }

    private func rightsFile(for request: FileRequest) throws(Refusal) -> RightsFile {
        guard let rights = RightsFile(properties: request.properties), rights.fits(request.size) else {
            throw Refusal(.incorrectData)
        }
        let numbers: ClosedRange<UInt16> =
            switch rights.type {
            case .globalPIN: 1...2
            case .localPIN: 3...31
            default: 1...255
            }
        try require(numbers.contains(request.identifier), else: .incorrectData)
        switch rights.algorithm(size: request.size) {
        case .rsa(let bits):
            let isThorough = rights.parameterSet == RightsFile.thoroughPrimes
            try require(bits <= identity.maximumRSABits, else: .incorrectData)
            try require(!isThorough || identity.testsPrimes, else: .incorrectData)
        case .ec(.secp256k1): try require(identity.knowsSecp256k1, else: .incorrectData)
        default: break
        }
        return rights
    }

    /// The right to create is the current directory's. There must be a directory to create in, except for the MF.
    private func authorise(_ operation: AccessConditions.Operation, below file: File) throws(Refusal) {
        if file.path == .root { return }
        guard let current = state.fileSystem[context.directory] else { throw Refusal(.fileNotFound) }
        try authorise(operation, on: current)
        if file.rightsFile?.type == .globalPIN { return }
        guard let parent = file.path.parent, state.fileSystem[parent]?.isDirectory == true else {
            throw Refusal(.fileNotFound)
        }
    }

    private func exists(_ file: File) -> Bool {
        guard file.rightsFile?.type == .globalPIN else { return state.fileSystem[file.path] != nil }
        return state.fileSystem.pin(Int(file.path.identifier)) != nil
    }
}

/// The data of CREATE FILE: a template `6F` or `62` with the objects 80, 82, 83 and 86, and 85 for rights files, in any
/// order.
private struct FileRequest {
    enum Kind { case directory, elementary, rights }

    let kind: Kind
    let size: Int
    let identifier: UInt16
    let properties: [UInt8]
    let conditions: AccessConditions

    init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var outer = ByteCursor(bytes)
        guard outer.nextTag == 0x6F || outer.nextTag == 0x62 else { throw MalformedBytes() }
        var body = ByteCursor(try outer.object().value)
        try outer.finish()

        var objects: [UInt8: [UInt8]] = [:]
        while !body.isAtEnd {
            let (tag, value) = try body.object()
            guard objects.updateValue(value, forKey: tag) == nil else { throw MalformedBytes() }
        }
        guard let size = objects[0x80], size.count == 2, let identifier = objects[0x83], identifier.count == 2,
            let conditions = objects[0x86].flatMap({ AccessConditions($0) })
        else { throw MalformedBytes() }
        switch objects[0x82] {
        case [0x38, 0x00]: kind = .directory
        case [0x01, 0x00]: kind = .elementary
        case [0x10, 0x00]: kind = .rights
        default: throw MalformedBytes()
        }
        self.size = Int(size[0]) << 8 | Int(size[1])
        self.identifier = UInt16(identifier[0]) << 8 | UInt16(identifier[1])
        self.conditions = conditions
        properties = objects[0x85] ?? []
    }
}

/// Formatting (vendor): an erase begins it, END OF INIT ends it, and in between nothing needs a right.
extension Card {
    /// ERASE: `80 7A 00|02 00` by the administrator, whose PIN may be blocked, and `80 8A 00 00` without a login,
    /// unless the identity differs.
    ///
    /// Serial number, counters, journal, licences and the secure channel's pairings stay (GSC/1, 6).
    func erase(_ command: borrowing Command) throws(Refusal) -> Response {
        let isVendors = command.ins == 0x7A
        try require(command.p2 == 0 && (command.p1 == 0 || isVendors && command.p1 == 2), else: .incorrectParameters)
        try require(command.data.isEmpty, else: .wrongLength)
        if isVendors || identity.erasesForAdministratorOnly { try authoriseErase() }

        if identity.isSlow { pause(2300) }
        state.formatNonce = try randomBytes(16)
        state.fileSystem = FileSystem()
        state.forcedChange = [0, 0, 0, 0]
        state.defaultUserPIN = nil
        state.isInitialising = true
        wasErased = true
        context = Context()
        return Response(.success)
    }

    private func authoriseErase() throws(Refusal) {
        let pin = state.fileSystem.pin(AccessConditions.administrator)?.rightsFile
        try require(
            state.isInitialising || context.rights.contains(AccessConditions.administrator) || pin?.triesLeft == 0,
            else: .securityStatusNotSatisfied)
    }

    /// END OF INIT, `80 84 4E 19`. It may be repeated.
    func endInitialisation(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0x4E && command.p2 == 0x19, else: .incorrectParameters)
        try require(command.data.isEmpty, else: .wrongLength)
        if identity.isSlow { pause(400) }
        if state.isInitialising { state.isInitialising = false }
        return Response(.success)
    }
}
