// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import Secrets
import TestSupport
import Testing

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

extension ContainerFiles {
    /// Expects name and keys of a vector.
    func requireKeys(of vector: JSON) throws {
        #expect(try ContainerName(file: self[.name].span).text == vector.name.text)
        let header = try header()
        #expect(header.needsPassword == (vector.password.text != ""))
        #expect(header.keys.count == vector.keys.list.count)
        for (key, expected) in zip(header.keys, vector.keys.list) {
            #expect((key.role == .exchange ? "exchange" : "signature") == expected.role.text)
            #expect(key.isExportable == (expected.exportable.number == 1))
            #expect(key.curve.oid == derObjectIdentifier(expected.curve.text ?? ""))
            let isAgreement = key.algorithm.oid != derObjectIdentifier(expected.algorithm.text ?? "")
            #expect(key.allowsAgreement == isAgreement)
            #expect(key.digestParameterSet == key.algorithm.digestParameterSet)
            #expect(key.certificate ?? [] == expected.certificate.bytes)
            let opened = try open(key.index, password: vector.password.text ?? "")
            #expect([UInt8](copying: opened.scalar) == expected.d.bytes.reversed())
            #expect(try opened.publicKey().bytes == expected.Q.bytes)
        }
    }
}

/// Changed headers.
extension ContainerFiles {
    /// The elements of the header's contents, tag and length included.
    var headerContents: [UInt8] {
        get throws {
            let file = self[.header]
            var outer = DERReader(file.span)
            var reader = try outer.nested(.sequence)
            return [UInt8](copying: try reader.contents(.sequence))
        }
    }

    /// Puts a header with these contents there, with the right code.
    mutating func seal(_ contents: [UInt8], _ algorithm: PublicKeyAlgorithm = .gostR34102012256, meshing: Bool = false)
        throws
    {
        let contents = DERTag.sequence.element(contents)
        let key = [UInt8](repeating: 0, count: 32)
        let sBox: SBox = algorithm == .gostR34102001 ? .cryptoProA : .tc26Z
        let code = try GOST28147IMIT.authenticate(contents.span, key: key.span, sBox: sBox, meshing: meshing)
        self[.header] = DERTag.sequence.element(contents + DERTag.octetString.element([UInt8](copying: code)))
    }

    /// Puts other bytes in the place of the only ones like these in the header's contents.
    mutating func replaceInHeader(_ old: [UInt8], with new: [UInt8]) throws {
        let contents = try headerContents
        let places = contents.ranges(of: old)
        guard places.count == 1, let place = places.first else { throw ContainerError.missing(.header) }
        try seal(Array(contents[..<place.lowerBound]) + new + Array(contents[place.upperBound...]))
    }
}
