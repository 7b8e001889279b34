// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TokenEnd

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
