// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A reader of the structures of a PFX file, which are in DER.
struct PFXReader: ~Escapable {
    private var reader: DERReader

    @_lifetime(copy octets)
    init(_ octets: Span<UInt8>) {
        reader = DERReader(octets)
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

    /// Public bytes.
    @_lifetime(self: copy self)
    mutating func octets(_ tag: DERTag = .octetString) throws(PFXError) -> [UInt8] {
        [UInt8](copying: try contents(tag))
    }

    /// A number that is not secret; one of more than 32 bits counts as the greatest of these.
    mutating func number() throws(PFXError) -> Int {
        let octets: [UInt8]
        do throws(GOSTError) { octets = try reader.unsignedInteger() } catch { throw .damaged }
        guard octets.count <= 4 else { return Int(UInt32.max) }
        return octets.reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number that is secret, and may begin with a zero.
    mutating func secretNumber() throws(PFXError) -> Secret {
        let octets = try contents(.integer)
        guard !octets.isEmpty, octets[0] < 0x80 else { throw .damaged }
        return Secret(copying: octets)
    }

    func end() throws(PFXError) {
        guard reader.isAtEnd else { throw .damaged }
    }
}

/// Object identifiers in DER, tag and length included.
enum PFXIdentifier {
    static let encryptedData = pkcs([7, 6])
    /// PBES2, PBKDF2 and the pseudorandom functions (RFC 8018, A and B.1).
    static let pbes2 = pkcs([5, 13])
    static let pbkdf2 = pkcs([5, 12])
    /// The bags of a file (RFC 7292, 4.2).
    static let (keyBag, shroudedKeyBag, certificateBag) = (bag(1), bag(2), bag(3))
    static let (revocationBag, secretBag) = (bag(4), bag(5))
    static let keyBags = [keyBag, shroudedKeyBag]
    /// CryptoPro's own.
    static let cryptoProKey = pkcs([12, 1, 80])
    static let x509Certificate = pkcs([9, 22, 1])
    static let friendlyName = pkcs([9, 20])
    static let localKeyID = pkcs([9, 21])

    private static func bag(_ arc: UInt8) -> [UInt8] { pkcs([12, 10, 1, arc]) }

    /// 1.2.840.113549.1 and these arcs.
    static func pkcs(_ arcs: [UInt8]) -> [UInt8] { oid([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01] + arcs) }

    /// 1.2.840.113549 and these arcs.
    static func rsadsi(_ arcs: [UInt8]) -> [UInt8] { oid([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D] + arcs) }

    /// 1.2.643.7.1.1 and these arcs.
    static func tc26(_ arcs: [UInt8]) -> [UInt8] { oid([0x2A, 0x85, 0x03, 0x07, 0x01, 0x01] + arcs) }

    static func oid(_ contents: [UInt8]) -> [UInt8] { DERTag.objectIdentifier.element(contents) }
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
