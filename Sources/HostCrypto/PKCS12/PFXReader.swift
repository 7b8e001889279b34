// SPDX-License-Identifier: Apache-2.0

import GOST
package import Secrets

/// A reader of the structures of a PFX file, which are in BER (RFC 7292, 4): BouncyCastle's and NSS's have indefinite lengths.
struct PFXReader: ~Escapable {
    private var reader: DERReader

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        reader = DERReader(bytes, .ber)
    }

    var isAtEnd: Bool { reader.isAtEnd }

    func isAt(_ tag: DERTag) -> Bool { reader.isAt(tag) }

    /// - Throws: ``PFXError/damaged``, as everything here does.
    @_lifetime(copy self)
    mutating func contents(_ tag: DERTag) throws(PFXError) -> Span<UInt8> {
        do throws(GOSTError) { return try reader.contents(tag) } catch { throw .damaged }
    }

    /// The whole element, tag and length included.
    @_lifetime(copy self)
    mutating func element(_ tag: DERTag) throws(PFXError) -> Span<UInt8> {
        do throws(GOSTError) { return try reader.element(tag) } catch { throw .damaged }
    }

    mutating func objectIdentifier() throws(PFXError) -> [UInt8] {
        do throws(GOSTError) { return try reader.objectIdentifier() } catch { throw .damaged }
    }

    /// Public bytes, which may be in pieces.
    @_lifetime(self: copy self)
    mutating func bytes(_ tag: DERTag = .octetString) throws(PFXError) -> [UInt8] {
        do throws(GOSTError) { return try reader.bytes(tag) } catch { throw .damaged }
    }

    /// Secret bytes, which may be in pieces.
    @_lifetime(self: copy self)
    mutating func secretBytes() throws(PFXError) -> Secret {
        if isAt(.octetString) { return Secret(copying: try contents(.octetString)) }
        var joined = try bytes()
        defer { joined.wipe() }
        return Secret(copying: joined)
    }

    /// A number that is not secret; one of more than 32 bits counts as the greatest of these.
    mutating func number() throws(PFXError) -> Int {
        let bytes: [UInt8]
        do throws(GOSTError) { bytes = try reader.unsignedInteger() } catch { throw .damaged }
        guard bytes.count <= 4 else { return Int(UInt32.max) }
        return bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number that is secret, and may begin with a zero.
    mutating func secretNumber() throws(PFXError) -> Secret {
        let bytes = try contents(.integer)
        guard !bytes.isEmpty, bytes[0] < 0x80 else { throw .damaged }
        return Secret(copying: bytes)
    }

    func end() throws(PFXError) {
        guard reader.isAtEnd else { throw .damaged }
    }
}

extension PFXError {
    /// - Parameter oid: An object identifier in DER, tag and length included.
    static func unsupported(_ oid: [UInt8]) -> PFXError {
        String(objectIdentifier: oid).map(PFXError.unsupported) ?? .damaged
    }

    /// The error for computing with values of a file, unless it is ``HostCryptoError/libraryFailure``.
    init(_ error: HostCryptoError, else other: PFXError) {
        self = [.libraryFailure, .outOfMemory, .randomUnavailable].contains(error) ? .libraryFailure : other
    }

    init(_ error: GOSTError, else other: PFXError) {
        self = [.libraryFailure, .outOfMemory, .randomUnavailable].contains(error) ? .libraryFailure : other
    }
}

extension PFX {
    /// Opens a file.
    ///
    /// - Parameters:
    ///   - file: The whole of it, in BER or DER.
    ///   - password: In UTF-8.
    ///   - workLimit: Instead of ``workLimit``.
    ///   - proceeds: Called during long work with the iterations of a key derivation that are done and all of them; false
    ///     ends the work. libcrypto's PBKDF2 is one step.
    package init(
        parsing file: Span<UInt8>, password: borrowing Secret, workLimit: Int = Self.workLimit,
        proceeds: @escaping (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(PFXError) {
        guard file.count <= Self.sizeLimit else { throw .tooLarge }
        var password = PFXPassword(password, workLimit: workLimit, proceeds: proceeds)
        var outer = PFXReader(file)
        var pfx = PFXReader(try outer.contents(.sequence))
        try outer.end()
        guard try pfx.number() == 3 else { throw .damaged }
        var info = PFXReader(try pfx.contents(.sequence))
        let type = try info.objectIdentifier()
        guard type == CMS.data else { throw .unsupported(type) }
        let safe = try info.data()
        guard !pfx.isAtEnd else { throw .unauthenticated }
        try password.verify(safe.bytes, try pfx.contents(.sequence))
        try pfx.end()

        var bags = Bags()
        try bags.readAll(safe.bytes, &password)
        keys = bags.keys
        certificates = bags.certificates
        for key in keys where key.needsCertificate {
            guard certificate(of: key) != nil else { throw .keyMismatch }
        }
    }

    /// The contents found so far.
    fileprivate struct Bags {
        var keys: [Key] = []
        var certificates: [Certificate] = []
        var count = 0
    }
}

extension PFXReader {
    /// The bytes of a ContentInfo of data, whose type was read (RFC 5652, 4).
    @_lifetime(self: copy self)
    fileprivate mutating func data() throws(PFXError) -> Secret {
        var explicit = PFXReader(try contents(.context0))
        try end()
        let bytes = try explicit.secretBytes()
        try explicit.end()
        return bytes
    }
}

extension PFX.Bags {
    /// Reads an AuthenticatedSafe: parts that are encrypted as a whole, and others (RFC 7292, 4.1).
    mutating func readAll(_ safe: Span<UInt8>, _ password: inout PFXPassword) throws(PFXError) {
        var outer = PFXReader(safe)
        var parts = PFXReader(try outer.contents(.sequence))
        try outer.end()
        while !parts.isAtEnd {
            try countOne()
            var part = PFXReader(try parts.contents(.sequence))
            let type = try part.objectIdentifier()
            switch type {
            case CMS.data:
                let plain = try part.data()
                try readPart(plain.bytes, &password)
            case PFXIdentifier.encryptedData:
                let opened = try password.openEncryptedData(part.contents(.context0))
                try part.end()
                try readPart(opened.bytes, &password)
            default: throw .unsupported(type)
            }
        }
    }

    private mutating func countOne() throws(PFXError) {
        count += 1
        guard count <= PFX.bagLimit else { throw .tooLarge }
    }

    /// Reads a SafeContents (RFC 7292, 4.2).
    private mutating func readPart(_ part: Span<UInt8>, _ password: inout PFXPassword) throws(PFXError) {
        var outer = PFXReader(part)
        var bags = PFXReader(try outer.contents(.sequence))
        try outer.end()
        while !bags.isAtEnd {
            try countOne()
            var bag = PFXReader(try bags.contents(.sequence))
            let type = try bag.objectIdentifier()
            let value = try bag.contents(.context0)
            var name = PFX.BagName()
            if !bag.isAtEnd { try name.read(bag.contents(.set)) }
            try bag.end()
            guard keys.count < PFX.keyLimit || !PFXIdentifier.keyBags.contains(type) else { throw .tooLarge }
            switch type {
            case PFXIdentifier.keyBag: keys.append(try PFX.Key(value, name))
            case PFXIdentifier.shroudedKeyBag: keys.append(try PFX.Key(shrouded: value, name, &password))
            case PFXIdentifier.certificateBag: certificates.append(try PFX.Certificate(value, name))
            case PFXIdentifier.revocationBag, PFXIdentifier.secretBag: break
            default: throw .unsupported(type)
            }
        }
    }
}

extension PFXPassword {
    /// Opens an EncryptedData (RFC 5652, 8).
    fileprivate mutating func openEncryptedData(_ explicit: Span<UInt8>) throws(PFXError) -> Secret {
        var outer = PFXReader(explicit)
        var data = PFXReader(try outer.contents(.sequence))
        try outer.end()
        _ = try data.number()
        var content = PFXReader(try data.contents(.sequence))
        let type = try content.objectIdentifier()
        guard type == CMS.data else { throw .unsupported(type) }
        let algorithm = try content.contents(.sequence)
        let encrypted = try content.bytes(.contextPrimitive0)
        return try open(encrypted.span, algorithm)
    }
}

extension PFX.Certificate {
    /// Reads a CertBag (RFC 7292, 4.2.3).
    fileprivate init(_ value: Span<UInt8>, _ name: PFX.BagName) throws(PFXError) {
        var outer = PFXReader(value)
        var bag = PFXReader(try outer.contents(.sequence))
        try outer.end()
        let type = try bag.objectIdentifier()
        guard type == PFXIdentifier.x509Certificate else { throw .unsupported(type) }
        let der = try bag.data()
        self.init(der: [UInt8](copying: der.bytes), name: name)
    }
}

extension PFX.BagName {
    /// Reads the attributes of a bag (RFC 7292, 4.2).
    fileprivate mutating func read(_ attributes: Span<UInt8>) throws(PFXError) {
        var set = PFXReader(attributes)
        while !set.isAtEnd {
            var attribute = PFXReader(try set.contents(.sequence))
            let type = try attribute.objectIdentifier()
            var values = PFXReader(try attribute.contents(.set))
            switch type {
            case PFXIdentifier.localKeyID where values.isAt(.octetString): id = try values.bytes()
            case PFXIdentifier.friendlyName where values.isAt(.bmpString):
                let bytes = try values.bytes(.bmpString)
                let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
                    UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
                }
                label = String(decoding: units, as: UTF16.self)
            default: break
            }
        }
    }
}
