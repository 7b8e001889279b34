// SPDX-License-Identifier: Apache-2.0
import GOST
package import Secrets

extension PFX {
    /// Opens a file.
    ///
    /// - Parameters:
    ///   - file: The whole of it, in DER.
    ///   - password: In UTF-8.
    ///   - iterationLimit: Instead of ``iterationLimit``.
    package init(
        parsing file: Span<UInt8>, password: borrowing Secret, iterationLimit: Int = Self.iterationLimit
    ) throws(PFXError) {
        guard file.count <= Self.sizeLimit else { throw .tooLarge }
        var password = PFXPassword(password, iterationLimit: iterationLimit)
        var outer = PFXReader(file)
        var pfx = PFXReader(try outer.contents(.sequence))
        try outer.end()
        guard try pfx.number() == 3 else { throw .damaged }
        var info = PFXReader(try pfx.contents(.sequence))
        let type = try info.objectIdentifier()
        guard type == CMS.data else { throw .unsupported(type) }
        let safe = try info.data()
        guard !pfx.isAtEnd else { throw .unauthenticated }
        try password.verify(safe, try pfx.contents(.sequence))
        try pfx.end()

        var bags = Bags()
        try bags.readAll(safe, &password)
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
    @_lifetime(copy self)
    fileprivate mutating func data() throws(PFXError) -> Span<UInt8> {
        var explicit = PFXReader(try contents(.context0))
        try end()
        let octets = try explicit.contents(.octetString)
        try explicit.end()
        return octets
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
            case CMS.data: try readPart(part.data(), &password)
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
        return try open(content.contents(.contextPrimitive0), algorithm)
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
        self.init(der: [UInt8](copying: der), name: name)
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
            case PFXIdentifier.localKeyID where values.isAt(.octetString): id = try values.octets()
            case PFXIdentifier.friendlyName where values.isAt(.bmpString):
                let octets = try values.octets(.bmpString)
                let units = stride(from: 0, to: octets.count - 1, by: 2).map {
                    UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1])
                }
                label = String(decoding: units, as: UTF16.self)
            default: break
            }
        }
    }
}
