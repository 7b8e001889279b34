import APDU
import GOST

/// Reading what OpenSC has stored. Its keys lie where the vendor's do, only the descriptions lie elsewhere.
extension Transaction {
    /// Adds the objects that OpenSC's files describe.
    ///
    /// - Parameter content: That of the file that lists the directory files.
    func readPKCS15(_ content: [UInt8], into objects: inout TokenObjects) throws(TokenError) {
        let directories = PKCS15Directories(parsing: content).files
        let contents = try readFiles(directories.map(\.path))
        var entries: [PKCS15Directories.Kind: [PKCS15Entry]] = [:]
        for case (let directory, let content?) in zip(directories, contents) {
            let described = PKCS15Entry.entries(in: content)
            try spend(files: described.count)
            entries[directory.kind, default: []] += described
        }
        let values = try readValues(entries)
        let publicKeys = entries[.publicKeys] ?? []
        addKeys(.publicKey, publicKeys, values: publicKeys.map { values[$0.path] }, to: &objects)
        // Everybody may read which private keys there are, but only User is told.
        if login == .user {
            let privateKeys = entries[.privateKeys] ?? []
            let paths = privateKeys.map { key in publicKeys.first { $0.id == key.id && $0.tag == key.tag }?.path }
            addKeys(.privateKey, privateKeys, values: paths.map { $0.flatMap { values[$0] } }, to: &objects)
        }
        for entry in entries[.certificates] ?? [] {
            guard let value = values[entry.path] else { continue }
            var certificate = TokenCertificate(
                file: entry.file, label: entry.label, id: entry.id, subject: [], value: value)
            certificate.isForeign = true
            objects.certificates.append(certificate)
        }
        for entry in entries[.data] ?? [] {
            guard let value = values[entry.path] else { continue }
            var data = TokenData(
                file: entry.file, label: entry.label, application: entry.application,
                objectIdentifier: entry.objectIdentifier, value: value, isPrivate: entry.isPrivate)
            data.isForeign = true
            objects.data.append(data)
        }
    }

    /// The files of public keys, certificates and data objects that this login may read.
    private func readValues(
        _ entries: [PKCS15Directories.Kind: [PKCS15Entry]]
    ) throws(TokenError) -> [FilePath: [UInt8]] {
        let kinds: [PKCS15Directories.Kind] = [.publicKeys, .certificates, .data]
        let paths = kinds.flatMap { (entries[$0] ?? []).map(\.path) }
        var values: [FilePath: [UInt8]] = [:]
        for (path, content) in zip(paths, try readFiles(paths)) { values[path] = content }
        return values
    }

    /// - Parameter values: The contents of the public keys' files, in the order of the entries.
    private func addKeys(
        _ half: TokenKey.Half, _ entries: [PKCS15Entry], values: [[UInt8]?], to objects: inout TokenObjects
    ) {
        for (entry, value) in zip(entries, values) {
            if entry.tag == 0x30, let key = TokenRSAKey(entry, half, value: value) {
                objects.rsaKeys.append(key)
            } else if entry.tag == 0xA4, let key = TokenKey(entry, half, value: value) {
                objects.keys.append(key)
            }
        }
    }
}

extension PKCS15Entry {
    /// The last part of the path: a private key's is its number.
    fileprivate var file: UInt16 { path.identifiers.last ?? 0 }
    fileprivate var number: UInt8 { UInt8(truncatingIfNeeded: file) }

    /// Whether the path leads to where private keys are.
    fileprivate var isPrivateKeyFile: Bool {
        path.identifiers.dropLast().elementsEqual(FilePath.privateKeys.identifiers)
    }
}

extension TokenRSAKey {
    /// - Parameter value: The public key in the form of PKCS #1 (RFC 8017, A.1.1).
    fileprivate init?(_ entry: PKCS15Entry, _ half: TokenKey.Half, value: [UInt8]?) {
        let numbers = value.flatMap { RSAPublicValue(pkcs1: $0) }
        let length = entry.numbers.first ?? numbers.map { $0.modulus.count * 8 } ?? 0
        guard let size = RSAKeySize(bits: length), half == .publicKey || entry.isPrivateKeyFile else { return nil }
        self.init(
            half: half, file: entry.file, number: half == .privateKey ? entry.number : 0, label: entry.label,
            id: entry.id, bits: size.bits, modulus: numbers?.modulus, publicExponent: numbers?.exponent,
            isImported: !entry.isLocal, isForeign: true)
    }
}

extension TokenKey {
    /// - Parameter value: The public key, an octet string.
    fileprivate init?(_ entry: PKCS15Entry, _ half: Half, value: [UInt8]?) {
        // OpenSC knows GOST R 34.10-2001 only, and the three sets of CryptoPro by their number.
        let curves: [Int: Curve] = [1: .cryptoProA, 2: .cryptoProB, 3: .cryptoProC]
        guard let set = entry.numbers.first, let curve = curves[set], half == .publicKey || entry.isPrivateKeyFile
        else {
            return nil
        }
        var cursor = ByteCursor(value ?? [])
        let point = try? cursor.object(0x04, length: 2 * curve.coordinateSize)
        guard half == .privateKey || point != nil else { return nil }
        self.init(
            half: half, file: entry.file, number: half == .privateKey ? entry.number : 0, curve: curve,
            label: entry.label, id: entry.id, gostR3410Parameters: curve.oid,
            gostR3411Parameters: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01], gost28147Parameters: [],
            value: half == .publicKey ? point : nil, canDerive: false, isImported: !entry.isLocal, isForeign: true)
    }
}

extension RSAPublicValue {
    /// - Parameter bytes: `30 { 02 modulus, 02 exponent }` (RFC 8017, A.1.1).
    init?(pkcs1 bytes: [UInt8]) {
        var outer = ByteCursor(bytes)
        guard let sequence = try? outer.object(0x30) else { return nil }
        var cursor = ByteCursor(sequence)
        guard let modulus = try? cursor.object(0x02), let exponent = try? cursor.object(0x02) else { return nil }
        self.init(modulus: Array(modulus.drop { $0 == 0 }), exponent: Array(exponent.drop { $0 == 0 }))
        guard RSAKeySize(bits: self.modulus.count * 8) != nil, !self.exponent.isEmpty else { return nil }
    }
}
