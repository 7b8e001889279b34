// SPDX-License-Identifier: Apache-2.0
import TestSupport

/// Puts unsigned attributes into a message in DER, as EN 319 122-1 has them: with `openssl dgst` and `openssl ts`, and nothing of
/// the library's.
struct LongTermMaker {
    let openssl: OpenSSL
    /// The hash function of the stamps, as the program names it, and its AlgorithmIdentifier in DER; nil for SHA-256, which an index
    /// of the first form does not name.
    var hash = "md_gost12_256"
    var algorithm: [UInt8]? = tlv(0x30, [0x06, 8, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02])

    enum Index: CaseIterable, Sendable { case v1, v3 }

    static let signatureStamp: [UInt8] = [0x06, 11, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 16, 2, 14]
    static let archiveStamp: [UInt8] = [0x06, 6, 0x04, 0x00, 0x8D, 0x45, 0x02, 0x04]

    func digest(_ bytes: [UInt8]) throws -> [UInt8] {
        try openssl.write(bytes, "hashed")
        try openssl.run("dgst -\(hash) -binary -out digest hashed")
        return try openssl.read("digest")
    }

    /// The stamp of some bytes.
    func token(of bytes: [UInt8]) throws -> BERTree {
        try openssl.write(bytes, "stamped")
        try openssl.run("ts -query -data stamped -\(hash) -cert -no_nonce -out query")
        try openssl.run("ts -reply -config tsa.cnf -queryfile query -token_out -out token")
        return try tree(openssl.read("token"))
    }

    /// The message with another unsigned attribute.
    func adding(_ type: [UInt8], _ value: BERTree, to message: [UInt8]) throws -> [UInt8] {
        var whole = try tree(message)
        var signer = whole[Self.signer(in: whole)]
        if signer.members.last?.tag != 0xA1 { signer.members.append(try tree([0xA1, 0])) }
        signer.members[signer.members.count - 1].members.append(
            try tree(Self.tlv(0x30, type + Self.tlv(0x31, value.der))))
        whole[Self.signer(in: whole)] = signer
        return whole.der
    }

    /// The message with a list of revoked certificates.
    func adding(list: [UInt8], to message: [UInt8]) throws -> [UInt8] {
        var whole = try tree(message)
        whole[[1, 0]].members.insert(try tree(Self.tlv(0xA1, list)), at: 4)
        return whole.der
    }

    /// The type of an attribute of CAdES (RFC 5126, 6).
    static func type(_ arc: UInt8) -> [UInt8] { signatureStamp.dropLast() + [arc] }

    /// The message with the references of a path over an authority, by a list: attributes 21 and 22.
    func adding(referencesTo authority: [UInt8], list: [UInt8], to message: [UInt8]) throws -> [UInt8] {
        func name(_ bytes: [UInt8]) throws -> [UInt8] {
            Self.tlv(0x30, Self.tlv(0x30, (algorithm ?? []) + Self.tlv(0x04, try digest(bytes))))
        }
        let lists = Self.tlv(0xA0, Self.tlv(0x30, Self.tlv(0x30, try name(list))))
        let certificates = try tree(Self.tlv(0x30, name(authority)))
        let states = try tree(Self.tlv(0x30, Self.tlv(0x30, lists) + Self.tlv(0x30, [])))
        return try adding(Self.type(22), states, to: adding(Self.type(21), certificates, to: message))
    }

    /// The message with values: attributes 23 and 24.
    func adding(values certificates: [[UInt8]], list: [UInt8], to message: [UInt8]) throws -> [UInt8] {
        let values = try tree(Self.tlv(0x30, certificates.flatMap(\.self)))
        let states = try tree(Self.tlv(0x30, Self.tlv(0xA0, Self.tlv(0x30, list))))
        return try adding(Self.type(24), states, to: adding(Self.type(23), values, to: message))
    }

    /// The message with a time stamp over its references: attribute 25 or 26.
    func adding(stamp arc: UInt8, to message: [UInt8], changing change: (inout [UInt8]) -> Void = { _ in }) throws
        -> [UInt8]
    {
        let whole = try tree(message)
        let signer = whole[Self.signer(in: whole)]
        var bytes = arc == 25 ? signer.members.last { $0.tag == 0x04 }.map(\.contents) ?? [] : []
        for type in (arc == 25 ? [14] : []) + [21, 22] as [UInt8] {
            for attribute in members(signer, 0xA1) where attribute.members[0].der == Self.type(type) {
                bytes += attribute.members.flatMap(\.der)
            }
        }
        change(&bytes)
        return try adding(Self.type(arc), token(of: bytes), to: message)
    }

    /// The parts that an index leaves out.
    enum Omission: CaseIterable, Sendable { case nothing, certificates, lists, attributes }

    /// The message with an archive time stamp.
    ///
    /// - Parameters:
    ///   - further: The hash of an attribute that is not there.
    ///   - absent: The hash of a certificate that is not there.
    ///   - count: The number of indices.
    ///   - stamper: Stamps, and hashes the content, by another hash function than that of the index.
    ///   - change: Changes the stamped bytes.
    func archived(
        _ message: [UInt8], content: [UInt8], _ form: Index = .v3, omitting omission: Omission = .nothing,
        further: [UInt8] = [], absent: [UInt8] = [], indices count: Int = 1, by stamper: LongTermMaker? = nil,
        changing change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> [UInt8] {
        let whole = try tree(message)
        let data = whole[[1, 0]]
        let signer = whole[Self.signer(in: whole)]
        func hashes(_ elements: [[UInt8]], unless isOmitted: Bool) throws -> [UInt8] {
            Self.tlv(0x30, try isOmitted ? [] : elements.flatMap { Self.tlv(0x04, try digest($0)) })
        }
        let certificates = members(data, 0xA0).map(\.der)
        let lists = members(data, 0xA1).map(\.der)
        let attributes = members(signer, 0xA1)
        let parts =
            switch form {
            case .v1: attributes.map(\.der)
            case .v3: attributes.flatMap { part in part.members[1].members.map { part.members[0].der + $0.der } }
            }
        let ofCertificates =
            absent.isEmpty
            ? try hashes(certificates, unless: omission == .certificates) : Self.tlv(0x30, Self.tlv(0x04, absent))
        let index = Self.tlv(
            0x30,
            (algorithm ?? []) + ofCertificates
                + (try hashes(lists, unless: omission == .lists))
                + (further.isEmpty
                    ? try hashes(parts, unless: omission == .attributes) : Self.tlv(0x30, Self.tlv(0x04, further))))
        var input = data.members[2].members[0].der
        input += try (stamper ?? self).digest(content)
        for field in signer.members where field.tag != 0xA1 { input += field.der }
        input += index
        change(&input)
        var token = try (stamper ?? self).token(of: input)
        let type: [UInt8] =
            form == .v1
            ? [0x06, 6, 0x04, 0x00, 0x8D, 0x45, 0x02, 0x05] : [0x06, 7, 0x04, 0x00, 0x81, 0x95, 0x32, 0x01, 0x05]
        token[Self.signer(in: token)].members.append(
            try tree(
                Self.tlv(0xA1, (0..<count).flatMap { _ in Self.tlv(0x30, type + Self.tlv(0x31, index)) })))
        return try adding(Self.archiveStamp, token, to: message)
    }

    /// The members of the last element with a tag.
    private func members(_ tree: BERTree, _ tag: UInt8) -> [BERTree] {
        tree.members.last(where: { $0.tag == tag })?.members ?? []
    }

    /// The path to the first signer.
    static func signer(in message: BERTree) -> [Int] { [1, 0, message[[1, 0]].members.count - 1, 0] }

    static func tlv(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var left = contents.count
        while left > 0 {
            length.insert(UInt8(left & 0xFF), at: 0)
            left >>= 8
        }
        return [tag] + (contents.count < 0x80 ? [UInt8(contents.count)] : [0x80 | UInt8(length.count)] + length)
            + contents
    }

    private struct Unreadable: Error {}

    private func tree(_ der: [UInt8]) throws -> BERTree {
        guard let tree = BERTree(der) else { throw Unreadable() }
        return tree
    }
}

extension BERTree {
    var der: [UInt8] { encoded { _, _ in .definite } }
}
