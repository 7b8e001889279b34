// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The header of a container, header.key: its keys, without their secrets.
package struct ContainerHeader: Sendable, Equatable {
    /// The checksum over all of the contents. Another code means another header.
    package let code: [UInt8]
    /// The number of bytes of the file without filling, the last four of which are the ``code``.
    package let length: Int
    /// Whether the container has a password of its own, which no PIN of a token is.
    package let needsPassword: Bool
    /// Whether the container has the pair of files ``ContainerPair/reserve``.
    package let hasReserve: Bool
    /// One key or two.
    package let keys: [ContainedKey]
    /// The code by which a password is recognised.
    let passwordCode: [UInt8]?

    /// Reads the header and checks its code.
    ///
    /// - Parameter file: The bytes of header.key, with filling or without.
    /// - Throws: ``ContainerError/missing(_:)``, ``ContainerError/damaged(_:_:)``, ``ContainerError/unsupported(_:)``,
    ///   ``ContainerError/headerCode``.
    package init(file: Span<UInt8>) throws(ContainerError) {
        let element = try ContainerFile.header.element(file)
        length = element.count
        let (contents, whole, code) = try Self.read(element)
        self.code = code
        guard let flags = contents.flags, let first = contents.keys[0] else { throw .damaged(.header, .encoding) }
        needsPassword = flags.contains(Bit.password)
        hasReserve = flags.contains(Bit.reserve)
        passwordCode = contents.passwordCode

        let firstKey = try ContainedKey(.first, first, contents)
        if let second = contents.keys[1] {
            keys = [firstKey, try ContainedKey(.second, second, contents)]
        } else {
            keys = [firstKey]
        }
        guard try Self.isCode(code, of: whole.span, firstKey.algorithm) else { throw .headerCode }
        guard !flags.contains(Bit.keyInCard) else { throw .unsupported(.keyInCard) }
        guard !flags.contains(Bit.sharedKey) else { throw .unsupported(.sharedKey) }
        guard !needsPassword || passwordCode?.count == 4 else { throw .damaged(.header, .encoding) }
    }

    /// The number of bytes of header.key without its filling.
    ///
    /// - Parameter beginning: The first 16 bytes of the file.
    /// - Throws: ``ContainerError/missing(_:)``, ``ContainerError/damaged(_:_:)``.
    package static func length(from beginning: Span<UInt8>) throws(ContainerError) -> Int {
        try ContainerFile.header.length(from: beginning)
    }

    /// The key at a place.
    package subscript(index: ContainedKey.Index) -> ContainedKey? { keys.first { $0.index == index } }

    /// The flags of a container.
    private enum Bit {
        static let password = 0
        static let reserve = 1
        static let keyInCard = 2
        static let sharedKey = 3
    }

    /// The contents, these as they stand, and the code.
    private static func read(
        _ element: Span<UInt8>
    ) throws(ContainerError) -> (contents: HeaderContents, whole: [UInt8], code: [UInt8]) {
        var form: [UInt8]?
        do throws(GOSTError) {
            var outer = DERReader(element)
            var reader = try outer.nested(.sequence)
            let whole = [UInt8](copying: try reader.element(.sequence))
            var inner = DERReader(whole.span)
            let contents = try HeaderContents(inner.contents(.sequence))
            form = contents.form
            let code = reader.isAt(.octetString) ? try reader.bytes() : []
            try reader.end()
            guard code.count == 4 else { throw .invalidEncoding }
            if contents.form == HeaderContents.knownForm { return (contents, whole, code) }
        } catch {
            guard let form, form != HeaderContents.knownForm else { throw .damaged(.header, .encoding) }
        }
        throw .unsupported(.form)
    }

    /// Whether a code is the contents' MAC under a key of zeros. Anyone can compute it: it is a checksum.
    ///
    /// Long headers of 2001 were not seen; its cipher has key meshing by its standard, which would show from 1,024 bytes
    /// on.
    private static func isCode(
        _ code: [UInt8], of contents: Span<UInt8>, _ algorithm: PublicKeyAlgorithm
    ) throws(ContainerError) -> Bool {
        let key = [UInt8](repeating: 0, count: 32)
        do {
            for meshing in algorithm == .gostR34102001 ? [false, true] : [false] {
                let expected = try GOST28147IMIT.authenticate(
                    contents, key: key.span, sBox: algorithm.containerSBox, meshing: meshing)
                if [UInt8](copying: expected) == code { return true }
            }
        } catch {
            throw .failure(error)
        }
        return false
    }
}

extension ContainedKey {
    /// The flags of a key.
    private enum Bit {
        static let exportable = 0
        static let exchange = 2
    }

    fileprivate init(_ index: Index, _ key: KeyContents, _ header: HeaderContents) throws(ContainerError) {
        // A key's record on a token names its algorithm by the hash function.
        guard let identifier = key.identifier,
            [nil, identifier.algorithm.digestParameterSet].contains(identifier.digestParameterSet)
        else { throw .unsupported(.parameters) }
        guard let fingerprint = header.fingerprints[index.rawValue], fingerprint.count == 8 else {
            throw .damaged(.header, .encoding)
        }
        self.index = index
        role = key.flags.contains(Bit.exchange) ? .exchange : .signature
        algorithm = identifier.algorithm
        curve = identifier.curve
        digestParameterSet = identifier.digestParameterSet
        allowsAgreement = key.oid != identifier.algorithm.oid
        isExportable = key.flags.contains(Bit.exportable)
        self.fingerprint = fingerprint
        certificate = header.certificates[index.rawValue]
        period = header.periods[role.periodExtension]
    }
}
