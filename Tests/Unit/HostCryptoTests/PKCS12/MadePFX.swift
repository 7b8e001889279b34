// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport

/// Files with a test's keys and certificates, with codes (MAC) of one iteration.
struct MadePFX {
    var version: UInt8 = 3
    /// The ContentInfos of the AuthenticatedSafe.
    var parts: [[UInt8]]
    var iterations: [UInt8] = [1]
    /// The MacData; nil for the right one.
    var macData: [UInt8]?
    /// The one that the code is made with.
    var password = MadePFX.password

    static let password = "пароль"
    static let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    init(_ parts: [[UInt8]]) { self.parts = parts }

    /// A file with a bare key of GOST R 34.10.
    static let bareKey = MadePFX([part([bag(1, gostKey, name: "имя")])])

    static let gostKey: [UInt8] = {
        let scalar = Secret(copying: [7] + [UInt8](repeating: 1, count: 31))
        guard let key = try? PrivateKey(curve: .tc26256B, scalar: scalar),
            let info = try? PrivateKeyInfo(algorithm: .gostR34102012256, key: key)
        else { return [] }
        let der = info.der()
        return [UInt8](copying: der)
    }()

    /// A ContentInfo with bags.
    static func part(_ bags: [[UInt8]]) -> [UInt8] {
        let contents = DERTag.octetString.element(DERTag.sequence.element(bags.flatMap { $0 }))
        return DERTag.sequence.element(pkcs([7, 1]) + DERTag.context0.element(contents))
    }

    /// A ContentInfo that is encrypted by an algorithm.
    static func encrypted(_ algorithm: [UInt8], _ ciphertext: [UInt8]) -> [UInt8] {
        let content = pkcs([7, 1]) + algorithm + DERTag.contextPrimitive0.element(ciphertext)
        let data = DERTag.sequence.element([2, 1, 0] + DERTag.sequence.element(content))
        return DERTag.sequence.element(pkcs([7, 6]) + DERTag.context0.element(data))
    }

    static func bag(_ kind: UInt8, _ value: [UInt8], name: String? = nil) -> [UInt8] {
        var contents = pkcs([12, 10, 1, kind]) + DERTag.context0.element(value)
        if let name {
            let units = name.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            let values = DERTag.set.element(DERTag.bmpString.element(units))
            contents += DERTag.set.element(DERTag.sequence.element(pkcs([9, 20]) + values))
        }
        return DERTag.sequence.element(contents)
    }

    static func pkcs(_ arcs: [UInt8]) -> [UInt8] {
        DERTag.objectIdentifier.element([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01] + arcs)
    }

    var der: [UInt8] {
        let safe = DERTag.sequence.element(parts.flatMap { $0 })
        let info = MadePFX.pkcs([7, 1]) + DERTag.context0.element(DERTag.octetString.element(safe))
        return DERTag.sequence.element(
            [2, 1, version] + DERTag.sequence.element(info) + (macData ?? code(of: safe)))
    }

    private func code(of safe: [UInt8]) -> [UInt8] {
        let key = PBKDF2<Streebog512>.derive(
            password: Array(password.utf8).span, salt: MadePFX.salt.span, iterations: 1, count: 96)
        let code = HMAC<Streebog512>.authenticate(safe.span, key: key.bytes.extracting(last: 32))
        let algorithm = DERTag.sequence.element(HashAlgorithm.streebog512.oid)
        return DERTag.sequence.element(
            DERTag.sequence.element(algorithm + DERTag.octetString.element([UInt8](copying: code)))
                + DERTag.octetString.element(MadePFX.salt) + DERTag.integer.element(iterations))
    }

    /// The AlgorithmIdentifier of PBES2 with PBKDF2-HMAC-Streebog-512 and a cipher, both in DER.
    static func pbes2(_ cipher: [UInt8], _ parameters: [UInt8], iterations: [UInt8] = [1]) -> [UInt8] {
        let function = DERTag.sequence.element(tc26([4, 2]) + [5, 0])
        let derivation = DERTag.octetString.element(salt) + DERTag.integer.element(iterations) + function
        return DERTag.sequence.element(
            pkcs([5, 13])
                + DERTag.sequence.element(
                    DERTag.sequence.element(pkcs([5, 12]) + DERTag.sequence.element(derivation))
                        + DERTag.sequence.element(cipher + parameters)))
    }

    static func tc26(_ arcs: [UInt8]) -> [UInt8] {
        DERTag.objectIdentifier.element([0x2A, 0x85, 0x03, 0x07, 0x01, 0x01] + arcs)
    }

    /// The key that PBES2 encrypts with.
    static func key() -> Secret {
        PBKDF2<Streebog512>.derive(password: Array(password.utf8).span, salt: salt.span, iterations: 1, count: 32)
    }
}

extension PFX {
    /// Opens a file with a password in words.
    init(_ der: [UInt8], _ password: String = MadePFX.password, limit: Int = PFX.workLimit) throws(PFXError) {
        try self.init(parsing: der.span, password: .of(password), workLimit: limit)
    }

    /// Why a file is refused; nil if it is not.
    static func refusal(
        _ der: [UInt8], _ password: String = MadePFX.password, limit: Int = PFX.workLimit
    ) -> PFXError? {
        do throws(PFXError) { _ = try PFX(der, password, limit: limit) } catch { return error }
        return nil
    }
}

extension PFX.Key {
    /// The number d of a key of GOST R 34.10, little-endian.
    var gostScalar: [UInt8]? {
        switch material {
        case .gost(let info): [UInt8](copying: info.key.scalar)
        default: nil
        }
    }
}
