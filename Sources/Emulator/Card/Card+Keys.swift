// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import TokenEnd

extension Card {
    /// GENERATE ASYMMETRIC KEY PAIR number P2, whose two files exist. The answer is the public point X ‖ Y, or the
    /// modulus.
    func generateKeyPair(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0x80 && command.p2 != 0, else: .incorrectParameters)
        try require(command.ne != nil, else: .wrongLength)
        let (privateFile, publicFile) = try keyPair(command.p2)
        guard var privateKey = privateFile.rightsFile, var publicKey = publicFile.rightsFile,
            let algorithm = privateFile.algorithm, algorithm == publicFile.algorithm
        else { throw Refusal(.incorrectData) }
        try requireExponent(command, for: algorithm)
        try authorise(.update, on: privateFile)
        try authorise(.update, on: publicFile)

        if identity.isSlow { pause(300) }
        let pair = try generate(algorithm)
        privateKey.value = pair.privateValue
        publicKey.value = SharedSecret(copying: pair.publicValue)
        state.fileSystem.replaceContent(of: privateFile.path, with: .rights(privateKey))
        state.fileSystem.replaceContent(of: publicFile.path, with: .rights(publicKey))
        countChange()
        guard case .rsa(let bits) = algorithm else { return Response(.success, data: pair.publicValue) }
        return Response(.success, data: Array(pair.publicValue.prefix(bits / 8)))
    }

    /// Only RSA accepts data: `A6 06 94 04 <exponent>`, little-endian, which is 65537 regardless of the data. A real
    /// token makes a malformed key of 4096 bits without them; this one makes none.
    private func requireExponent(_ command: borrowing Command, for algorithm: KeyAlgorithm) throws(Refusal) {
        let data = [UInt8](copying: command.data)
        if case .rsa(let bits) = algorithm {
            try require(data.isEmpty ? bits < 4096 : data.count == 8, else: .incorrectData)
            try require(data.isEmpty || data.starts(with: [0xA6, 0x06, 0x94, 0x04]), else: .incorrectData)
        } else {
            try require(data.isEmpty, else: .wrongLength)
        }
    }

    private func generate(
        _ algorithm: KeyAlgorithm
    ) throws(Refusal) -> (privateValue: SharedSecret, publicValue: [UInt8]) {
        do {
            switch algorithm {
            case .gost(let curve):
                let pair = try PrivateKey.generate(on: curve, random: random)
                let publicKey = try pair.publicKey()
                return (SharedSecret(pair.scalar.copy()), publicKey.bytes)
            case .rsa(let bits):
                let pair = try RSAKey.generate(bits: bits)
                return (pair.privateValue, pair.publicValue)
            case .ec(let curve):
                let key = try ECKey.generate(on: curve)
                let value = try key.value()
                return (SharedSecret(value.copy()), try key.publicKey())
            }
        } catch {
            throw Refusal(.memoryUnchanged)
        }
    }

    /// The two halves of a key pair; both must exist and fit together.
    private func keyPair(_ number: UInt8) throws(Refusal) -> (privateFile: File, publicFile: File) {
        let files = state.fileSystem
        guard let privateFile = files[RightsFileType.gostPrivate.path(number)],
            let publicFile = files[RightsFileType.gostPublic.path(number)]
        else { throw Refusal(.fileNotFound) }
        try require(
            privateFile.rightsFile?.type.publicHalf == publicFile.rightsFile?.type
                && privateFile.rightsFile?.type.publicHalf != nil,
            else: .incorrectData)
        return (privateFile, publicFile)
    }

    /// GET CHALLENGE: random bytes.
    func getChallenge(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0 && command.p2 == 0, else: .incorrectParameters)
        guard let ne = command.ne, ne <= 256, command.data.isEmpty else { throw Refusal(.wrongLength) }
        return Response(.success, data: try randomBytes(ne))
    }

    func randomBytes(_ count: Int) throws(Refusal) -> [UInt8] {
        guard let bytes = try? random.bytes(count) else { throw Refusal(.memoryUnchanged) }
        return bytes
    }
}

/// VKO, or ECDH, with a private key in the card. No token's command for it is known: this one is the emulator's own.
extension Card {
    /// GENERAL AUTHENTICATE `7C { 85 <X ‖ Y>, 94 <UKM> }`, for ECDH without UKM. The answer is the key that both sides get.
    func agree(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0 && command.p2 == 0, else: .incorrectParameters)
        try require(command.ne != nil, else: .wrongLength)
        try require(!state.isInitialising, else: .initialisationPhase)
        guard let (number, hash) = context.environment.agreement else { throw Refusal(.referencedDataNotFound) }
        let file = try key(number, .gostPrivate)
        guard let key = file.rightsFile, let algorithm = file.algorithm else { throw Refusal(.incorrectData) }
        try authorise(.use, on: file)
        try require(key.flags & RightsFileFlags.agrees != 0, else: .securityStatusNotSatisfied)
        let point: [UInt8]
        var ukm: [UInt8]?
        do throws(MalformedBytes) {
            var outer = ByteCursor([UInt8](copying: command.data))
            var cursor = ByteCursor(try outer.object(0x7C))
            try outer.finish()
            point = try cursor.object(0x85)
            if !cursor.isAtEnd { ukm = try cursor.object(0x94) }
            try cursor.finish()
        } catch {
            throw Refusal(.incorrectData)
        }
        switch (algorithm, ukm) {
        case (.gost(let curve), let ukm?): return try agree(key, on: curve, with: point, ukm: ukm, hash)
        case (.ec(let curve), nil): return try agree(key, on: curve, with: point)
        default: throw Refusal(.incorrectData)
        }
    }

    private func agree(
        _ key: RightsFile, on curve: ECKey.Curve, with point: [UInt8]
    ) throws(Refusal) -> Response {
        guard let value = key.value else { throw Refusal(.referencedDataNotFound) }
        do throws(LibraryFailure) {
            let own = try ECKey(value.secret, on: curve)
            let secret = try own.agree(with: point.span)
            return Response(.success, data: [UInt8](copying: secret))
        } catch {
            throw Refusal(.incorrectData)
        }
    }

    /// PSO: DECIPHER of X ‖ Y ‖ UKM with a GOST key.
    func agree(_ key: RightsFile, on curve: Curve, deciphering data: [UInt8]) throws(Refusal) -> Response {
        let count = 2 * curve.coordinateSize
        try require(data.count > count, else: .wrongLength)
        return try agree(key, on: curve, with: Array(data.prefix(count)), ukm: Array(data.dropFirst(count)), nil)
    }

    private func agree(
        _ key: RightsFile, on curve: Curve, with point: [UInt8], ukm: [UInt8], _ hash: HashAlgorithm?
    ) throws(Refusal) -> Response {
        guard let scalar = key.value else { throw Refusal(.referencedDataNotFound) }
        do throws(GOSTError) {
            let peer = try PublicKey(curve: curve, bytes: point)
            let own = try PrivateKey(curve: curve, scalar: scalar.secret.copy())
            let secret = try own.agree(with: peer, ukm: ukm.span, hash)
            return Response(.success, data: [UInt8](copying: secret))
        } catch {
            throw Refusal(.incorrectData)
        }
    }
}

extension PrivateKey {
    /// VKO with this hash function; by default, with the hash function of GOST R 34.11-2012 that is as long as the key.
    fileprivate func agree(
        with peer: PublicKey, ukm: Span<UInt8>, _ hash: HashAlgorithm?
    ) throws(GOSTError) -> Secret {
        switch hash ?? (curve.coordinateSize == 32 ? .streebog256 : .streebog512) {
        case .gostR341194: try vko2001(with: peer, ukm: ukm)
        case .streebog256: try vko2012256(with: peer, ukm: ukm)
        case .streebog512: try vko2012512(with: peer, ukm: ukm)
        }
    }
}
