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
        publicKey.value = Sealed(copying: pair.publicValue)
        state.fileSystem.replaceContent(of: privateFile.path, with: .rights(privateKey))
        state.fileSystem.replaceContent(of: publicFile.path, with: .rights(publicKey))
        countChange()
        guard case .rsa(let bits) = algorithm else { return Response(.success, data: pair.publicValue) }
        return Response(.success, data: Array(pair.publicValue.prefix(bits / 8)))
    }

    /// Only RSA takes data: `A6 06 94 04 <exponent>`, little-endian, which is 65537 regardless of the data. A real
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
    ) throws(Refusal) -> (privateValue: Sealed, publicValue: [UInt8]) {
        do {
            switch algorithm {
            case .gost(let curve):
                let pair = try PrivateKey.generate(on: curve, random: random)
                let publicKey = try pair.publicKey()
                return (Sealed(pair.scalar.copy()), publicKey.bytes)
            case .rsa(let bits):
                let pair = try RSAKey.generate(bits: bits)
                return (pair.privateValue, pair.publicValue)
            case .ec(let curve):
                let key = try ECKey.generate(on: curve)
                let value = try key.value()
                return (Sealed(value.copy()), try key.publicKey())
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
