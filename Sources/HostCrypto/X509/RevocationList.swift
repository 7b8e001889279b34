// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
import Secrets

/// A list of revoked certificates (RFC 5280, 5).
final class RevocationList: Sendable {
    /// The whole list in DER.
    let der: [UInt8]
    /// The Name in DER.
    let issuer: [UInt8]
    private let scope: RevocationScope
    private let structure: SignedStructure
    private let digest: [UInt8]
    private let list: Handle

    /// - Parameter der: The whole of the list in DER, and nothing behind it.
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    init(der: [UInt8]) throws(HostCryptoError) {
        do throws(GOSTError) {
            var reader = DERReader(der.span)
            let contents = try reader.contents(.sequence)
            try reader.end()
            var structure = try SignedStructure(contents)
            let signed = structure.content
            var outer = DERReader(signed.span)
            var content = DERReader(try outer.contents(.sequence))
            if content.isAt(.integer) { _ = try content.contents(.integer) }
            try structure.takeAlgorithm(&content)
            self.structure = structure
            issuer = [UInt8](copying: try content.element(.sequence))
            scope = try RevocationScope(&content)
        } catch {
            throw .invalidEncoding
        }
        self.der = der
        digest = try structure.digest()
        list = try quietly { () throws(HostCryptoError) in try Self.read(der) }
    }

    /// Whether it was made before a time, in seconds since 1970, and is fully understood here.
    func isUsable(after time: Int) -> Bool {
        unsafe scope.isUnderstood && COpenSSL_compare_time(X509_CRL_get0_lastUpdate(list.pointer), time_t(time)) < 0
    }

    /// Whether no newer one is due at a time, in seconds since 1970.
    func isCurrent(at time: Int) -> Bool {
        let next = unsafe X509_CRL_get0_nextUpdate(list.pointer)
        return unsafe next.map { unsafe COpenSSL_compare_time($0, time_t(time)) > 0 } ?? true
    }

    /// The list in libcrypto (`X509_CRL`).
    private static func read(_ der: [UInt8]) throws(HostCryptoError) -> Handle {
        let made = unsafe der.withUnsafeBufferPointer { der in
            var start = der.baseAddress
            return unsafe d2i_X509_CRL(nil, &start, der.count)
        }
        return try unsafe Handle(made, free: X509_CRL_free, else: .invalidEncoding)
    }

    /// Whether the list is signed with a key, by a hash function that resists collisions.
    func isSigned(with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        guard structure.signatureAlgorithm?.digest.resistsCollisions == true else { return false }
        return try structure.isSigned(with: key, digest: digest)
    }

    /// Whether the certificate is on the list.
    func names(_ certificate: PathCertificate) -> Bool {
        let serial = unsafe X509_get0_serialNumber(certificate.handle.pointer)
        return unsafe X509_CRL_get0_by_serial(list.pointer, nil, serial) == 1
    }

    /// When and why a certificate on the list was revoked; nil if it is not there.
    func revocation(of certificate: Certificate) -> RevocationEntry? {
        (try? RevocationTimes(structure.content))?.entry(certificate.serialNumber)
    }

    /// When it was made, in seconds since 1970; nil for a time that cannot be read.
    var thisUpdate: Int? { (try? RevocationTimes(structure.content))?.thisUpdate }

    /// When a newer list is due, in seconds since 1970; nil if the list does not say.
    var nextUpdate: Int? { (try? RevocationTimes(structure.content))?.nextUpdate }

    /// The CrlIdentifier in DER, by which references name the list (RFC 5126, 6.2.2): the issuer, when it was made, and its
    /// number, if it has one. Empty for a list made after 2049, for which references have no form.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding``.
    var identifier: [UInt8] {
        get throws(HostCryptoError) {
            do throws(GOSTError) {
                let content = structure.content
                var outer = DERReader(content.span)
                var reader = try outer.nested(.sequence)
                if reader.isAt(.integer) { _ = try reader.contents(.integer) }
                for _ in 0..<2 { _ = try reader.contents(.sequence) }
                guard reader.isAt(.utcTime) else { return [] }
                let time = [UInt8](copying: try reader.element(.utcTime))
                return DERTag.sequence.element(issuer + time + (scope.number ?? []))
            } catch {
                throw .invalidEncoding
            }
        }
    }

    /// Whether a certificate that is not on the list is not revoked.
    func isWhole(for certificate: Certificate, isAuthority: Bool) -> Bool {
        scope.isWhole(for: certificate, isAuthority: isAuthority)
    }
}

/// The revocation of one certificate, by a list or a response.
struct RevocationEntry {
    /// In seconds since 1970.
    let time: Int
    /// A number of RFC 5280, 5.3.1; nil if it is not stated.
    let reason: UInt8?

    /// Whether the certificate's key was in its owner's hands until ``time``, so that time stamps from before count on (RFC
    /// 3161, 4): for no reason, because of a change of affiliation, superseded, or not needed any more. Without a
    /// stated reason none counts.
    var leavesFormerStamps: Bool { reason.map { [0, 3, 4, 5].contains($0) } ?? false }
}

extension DERReader {
    /// Reads a CRLReason.
    mutating func revocationReason() throws(GOSTError) -> UInt8 {
        let value = [UInt8](copying: try contents(.enumerated))
        guard let reason = value.first, value.count == 1 else { throw .invalidEncoding }
        return reason
    }
}

/// The times in a list of revoked certificates, which only a refusal needs.
private struct RevocationTimes {
    let thisUpdate: Int
    let nextUpdate: Int?
    /// In DER.
    private let entries: [UInt8]

    /// - Parameter content: The TBSCertList in DER.
    init(_ content: [UInt8]) throws(GOSTError) {
        var outer = DERReader(content.span)
        var reader = DERReader(try outer.contents(.sequence))
        if reader.isAt(.integer) { _ = try reader.contents(.integer) }
        for _ in 0..<2 { _ = try reader.contents(.sequence) }
        thisUpdate = try reader.time()
        let isDue = reader.isAt(.utcTime) || reader.isAt(.generalizedTime)
        nextUpdate = isDue ? try reader.time() : nil
        entries = reader.isAt(.sequence) ? [UInt8](copying: try reader.contents(.sequence)) : []
    }

    /// - Parameter serialNumber: With tag and length.
    func entry(_ serialNumber: [UInt8]) -> RevocationEntry? {
        var reader = DERReader(entries.span)
        while !reader.isAtEnd {
            guard let contents = try? reader.contents(.sequence) else { return nil }
            var entry = DERReader(contents)
            guard let number = try? entry.element(.integer) else { return nil }
            guard [UInt8](copying: number) == serialNumber else { continue }
            guard let time = try? entry.time() else { return nil }
            return RevocationEntry(time: time, reason: try? Self.reason(&entry))
        }
        return nil
    }

    /// The reason in the extensions of an entry; nil without.
    private static func reason(_ entry: inout DERReader) throws(GOSTError) -> UInt8? {
        guard !entry.isAtEnd else { return nil }
        var extensions = DERReader(try entry.contents(.sequence))
        while !extensions.isAtEnd {
            let (type, _, value) = try extensions.extension()
            guard type == RevocationScope.reasonCode else { continue }
            var reader = DERReader(value.span)
            return try reader.revocationReason()
        }
        return nil
    }
}

/// The certificates that a list of revoked ones covers (RFC 5280, 5.2.5), whether or not the extension with this scope
/// is critical.
struct RevocationScope: Sendable {
    /// Whether everything critical in the list is understood, and it is not a delta list and has certificates of its
    /// issuer alone.
    private(set) var isUnderstood = true
    /// The list's number, an INTEGER in DER; nil without.
    private(set) var number: [UInt8]?
    /// Whether certificates are revoked for some reasons elsewhere.
    private var isOfSomeReasons = false
    /// Whether it is only of authorities, or only of others; nil for both.
    private var isOfAuthorities: Bool?
    /// The names of the place where the list is published, in DER; nil if it is of all places.
    private var places: [[UInt8]]?

    /// Reads the part after the issuer in a list.
    init(_ content: inout DERReader) throws(GOSTError) {
        for _ in 0..<2 {
            for tag in [DERTag.utcTime, .generalizedTime] where content.isAt(tag) { _ = try content.contents(tag) }
        }
        if content.isAt(.sequence) {
            var entries = DERReader(try content.contents(.sequence))
            while !entries.isAtEnd { try take(entry: try entries.contents(.sequence)) }
        }
        if content.isAt(.context0) {
            var extensions = DERReader(try content.contents(.context0))
            try take(try extensions.contents(.sequence))
            try extensions.end()
        }
        try content.end()
    }

    /// An entry may say why and when its certificate was revoked, and nothing else that counts.
    private mutating func take(entry: Span<UInt8>) throws(GOSTError) {
        var entry = DERReader(entry)
        _ = try entry.contents(.integer)
        _ = try entry.contents(entry.isAt(.utcTime) ? .utcTime : .generalizedTime)
        guard !entry.isAtEnd else { return }
        var extensions = DERReader(try entry.contents(.sequence))
        try entry.end()
        while !extensions.isAtEnd {
            let (type, isCritical, _) = try extensions.extension()
            if type == Self.certificateIssuer || isCritical && !Self.ofEntries.contains(type) { isUnderstood = false }
        }
    }

    private mutating func take(_ extensions: Span<UInt8>) throws(GOSTError) {
        var extensions = DERReader(extensions)
        while !extensions.isAtEnd {
            let (type, isCritical, value) = try extensions.extension()
            switch type {
            case Self.issuingDistributionPoint: try take(distributionPoint: value)
            case Self.deltaIndicator: isUnderstood = false
            case Self.listNumber: number = value
            default: if isCritical { isUnderstood = false }
            }
        }
    }

    private mutating func take(distributionPoint: [UInt8]) throws(GOSTError) {
        var reader = DERReader(distributionPoint.span)
        var point = DERReader(try reader.contents(.sequence))
        try reader.end()
        if point.isAt(.context0) { places = try Self.names(try point.contents(.context0)) }
        var flags = [UInt8](copying: point.remainder())[...]
        while let tag = flags.popFirst() {
            guard let count = flags.popFirst(), count < 0x80, flags.count >= Int(count) else { throw .invalidEncoding }
            let value = flags.prefix(Int(count))
            flags = flags.dropFirst(Int(count))
            switch tag {
            case 0x83: isOfSomeReasons = true
            case _ where value.elementsEqual([0]): continue
            case 0x81: isOfAuthorities = false
            case 0x82: isOfAuthorities = true
            // A list of others' certificates, or of attributes'.
            default: isUnderstood = false
            }
        }
    }

    /// The full names of a DistributionPointName, which are a name of it each; none if it is relative.
    private static func names(_ point: Span<UInt8>) throws(GOSTError) -> [[UInt8]] {
        var reader = DERReader(point)
        guard reader.isAt(.context0) else { return [] }
        var names = DERReader(try reader.contents(.context0))
        try reader.end()
        return try names.elements(limit: namesOfPoint)
    }

    /// The most names that one place may have.
    private static let namesOfPoint = 64

    /// Whether a certificate that is not on the list is not revoked.
    func isWhole(for certificate: Certificate, isAuthority: Bool) -> Bool {
        guard !isOfSomeReasons, isOfAuthorities ?? isAuthority == isAuthority else { return false }
        guard let places else { return true }
        let own = (try? Self.places(of: certificate)) ?? []
        return places.contains(where: own.contains)
    }

    /// The places where lists of a certificate are published, as it states (RFC 5280, 4.2.1.13).
    private static func places(of certificate: Certificate) throws(GOSTError) -> [[UInt8]] {
        guard let value = try certificate.extensionValue(distributionPoints)?.value else { return [] }
        var reader = DERReader(value.span)
        var list = DERReader(try reader.contents(.sequence))
        var found: [[UInt8]] = []
        while !list.isAtEnd {
            var point = DERReader(try list.contents(.sequence))
            if point.isAt(.context0) { found += try names(try point.contents(.context0)) }
        }
        return found
    }

    /// 2.5.29 and an arc, in DER.
    private static func oid(_ arc: UInt8) -> [UInt8] { [0x06, 3, 0x55, 0x1D, arc] }
    /// reasonCode and invalidityDate.
    static let reasonCode = oid(21)
    private static let ofEntries = [reasonCode, oid(24)]
    private static let certificateIssuer = oid(29)
    private static let listNumber = oid(20)
    private static let deltaIndicator = oid(27)
    private static let issuingDistributionPoint = oid(28)
    private static let distributionPoints = oid(31)
}

extension DERReader {
    /// Reads an Extension (RFC 5280, 4.1).
    mutating func `extension`() throws(GOSTError) -> (type: [UInt8], isCritical: Bool, value: [UInt8]) {
        var element = DERReader(try contents(.sequence))
        let type = try element.objectIdentifier()
        var isCritical = false
        if element.isAt(.boolean) {
            let value = [UInt8](copying: try element.contents(.boolean))
            isCritical = value != [0]
        }
        return (type, isCritical, [UInt8](copying: try element.contents(.octetString)))
    }
}
