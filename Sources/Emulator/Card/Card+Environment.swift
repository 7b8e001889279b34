// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets
import TokenEnd

/// The state that MANAGE SECURITY ENVIRONMENT and PSO: HASH set.
struct SecurityEnvironment: ~Copyable {
    /// The number of the private key that signs.
    var signingKey: UInt8?
    /// The number of the public key that verifies.
    var verificationKey: UInt8?
    /// The number of the private key that deciphers.
    var decipheringKey: UInt8?
    /// The cipher of PSO: ENCIPHER and DECIPHER.
    var cipher: CipherChoice?
    /// The private key that agrees on a secret, and the function that hashes it.
    var agreement: (key: UInt8, hash: HashAlgorithm?)?
    var hashAlgorithm = HashAlgorithm.streebog256
    /// The hash being computed.
    var hash: HashState?
    /// The hash that was computed and waits for its signature.
    var digest: [UInt8]?
}

/// A secret key, and how it is used.
struct CipherChoice {
    enum Mode: UInt8 { case codebook = 1, gamma = 2, authentication = 3 }

    let key: UInt8
    let mode: Mode
    /// Empty for zeros.
    let initialValue: [UInt8]
}

/// MANAGE SECURITY ENVIRONMENT (ISO/IEC 7816-4, 7.5.11).
extension Card {
    func manageSecurityEnvironment(_ command: borrowing Command) throws(Refusal) -> Response {
        if command.p1 == 0xF4, command.p2 == 0 {
            try require(command.data.isEmpty, else: .wrongLength)
            context.environment = SecurityEnvironment()
            return Response(.success)
        }
        guard let template = try? ControlReference(parsing: [UInt8](copying: command.data)) else {
            throw Refusal(.incorrectData)
        }
        switch (command.p1, command.p2) {
        case (0x41, 0xB6): context.environment.signingKey = try key(in: template, 0x84, .gostPrivate)
        case (0x81, 0xB6): context.environment.verificationKey = try key(in: template, 0x83, .gostPublic)
        case (0x41, 0xB8) where template.has([0x84]):
            context.environment.decipheringKey = try key(in: template, 0x84, .gostPrivate)
            context.environment.cipher = nil
        case (0x41, 0xB8):
            context.environment.cipher = try cipher(in: template)
            context.environment.decipheringKey = nil
        case (0x41, 0xA6):
            let hash = try template.has([0x84]) ? nil : hashAlgorithm(in: template, beside: [0x84])
            context.environment.agreement = (try key(in: template, 0x84, .gostPrivate, beside: [0x80]), hash)
        case (0x41, 0xAA):
            context.environment.hashAlgorithm = try hashAlgorithm(in: template, beside: [])
            context.environment.hash = nil
            context.environment.digest = nil
        default: throw Refusal(.incorrectParameters)
        }
        return Response(.success)
    }

    /// The number of a key, whose file must exist.
    private func key(
        in template: ControlReference, _ tag: UInt8, _ type: RightsFileType, beside others: Set<UInt8> = []
    ) throws(Refusal) -> UInt8 {
        guard let number = template.byte(tag), template.has([tag], or: others) else { throw Refusal(.incorrectData) }
        try require(state.fileSystem[type.path(number)] != nil, else: .referencedDataNotFound)
        return number
    }

    private func hashAlgorithm(
        in template: ControlReference, beside others: Set<UInt8>
    ) throws(Refusal) -> HashAlgorithm {
        guard template.has([0x80], or: others), let algorithm = template.byte(0x80).flatMap(HashAlgorithm.init(number:))
        else { throw Refusal(.incorrectData) }
        return algorithm
    }

    /// `80 01 <mode> 84 01 <key>`, and `87 LL <initial value>` if it is not zero.
    private func cipher(in template: ControlReference) throws(Refusal) -> CipherChoice {
        guard let mode = template.byte(0x80).flatMap(CipherChoice.Mode.init(rawValue:)) else {
            throw Refusal(.incorrectData)
        }
        let number = try key(in: template, 0x84, .kuznyechik, beside: [0x80, 0x87])
        return CipherChoice(key: number, mode: mode, initialValue: template.objects[0x87] ?? [])
    }
}

/// The objects of a control reference template, each at most once.
private struct ControlReference {
    let objects: [UInt8: [UInt8]]

    init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var objects: [UInt8: [UInt8]] = [:]
        var cursor = ByteCursor(bytes)
        while !cursor.isAtEnd {
            let (tag, value) = try cursor.object()
            guard objects.updateValue(value, forKey: tag) == nil else { throw MalformedBytes() }
        }
        self.objects = objects
    }

    /// Whether there are these objects, and no others but perhaps some of `others`.
    func has(_ tags: Set<UInt8>, or others: Set<UInt8> = []) -> Bool {
        tags.isSubset(of: objects.keys) && Set(objects.keys).isSubset(of: tags.union(others))
    }

    /// The value of an object of one byte.
    func byte(_ tag: UInt8) -> UInt8? {
        guard let value = objects[tag], value.count == 1 else { return nil }
        return value.first
    }
}

extension HashAlgorithm {
    /// The function with this number in MANAGE SECURITY ENVIRONMENT.
    fileprivate init?(number: UInt8) {
        switch number {
        case 1: self = .gostR341194
        case 2: self = .streebog256
        case 3: self = .streebog512
        default: return nil
        }
    }
}
