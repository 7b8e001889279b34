// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import Secrets
import TestSupport

/// The vectors by their names, so that a test is called by one.
enum ContainerVectors {
    static let good = named("containers")
    static let refused = named("refused")

    private static func named(_ list: String) -> [String: JSON] {
        let vectors = (try? JSON(vectors: "containers.json")[list].list) ?? []
        return Dictionary(vectors.map { ($0.id.text ?? "", $0) }) { first, _ in first }
    }
}

/// The files of a container.
struct ContainerFiles {
    var files: [ContainerFile: [UInt8]]

    /// The files that a vector has by their names.
    init(_ vector: JSON) {
        files = [:]
        for file in ContainerFile.allCases where !vector.files[file.fileName].isNull {
            files[file] = vector.files[file.fileName].bytes
        }
    }

    subscript(file: ContainerFile) -> [UInt8] {
        get { files[file] ?? [] }
        set { files[file] = newValue }
    }

    func header() throws(ContainerError) -> ContainerHeader { try ContainerHeader(file: self[.header].span) }

    /// Opens a key as a reader of files does: by the main pair, and if this fails by the reserve.
    func open(_ index: ContainedKey.Index, password: String) throws(ContainerError) -> PrivateKey {
        let header = try header()
        do { return try open(header, index, password, .main) } catch {
            let hasReserve = !self[.masks2].isEmpty && !self[.primary2].isEmpty
            guard header.hasReserve, hasReserve, error.isOfPair else { throw error }
            return try open(header, index, password, .reserve)
        }
    }

    func open(
        _ header: ContainerHeader, _ index: ContainedKey.Index, _ password: String, _ pair: ContainerPair
    ) throws(ContainerError) -> PrivateKey {
        let password = Secret.of(password)
        let masks = Secret(copying: self[pair.masks])
        let primary = Secret(copying: self[pair.primary])
        return try header.open(index, masks: masks, primary: primary, password: password, of: pair)
    }
}

extension ContainerError {
    /// The word that the vectors have for the error.
    var reason: String {
        switch self {
        case .missing: "missing"
        case .damaged: "damaged"
        case .unsupported: "unsupported"
        case .headerCode: "header-code"
        case .maskCode: "mask-code"
        case .password, .passwordNeeded, .passwordNotNeeded: "password"
        case .key: "key"
        case .failure: "failure"
        }
    }
}
