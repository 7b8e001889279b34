import APDU
import GOST
import Secrets

extension Card {
    /// GENERATE ASYMMETRIC KEY PAIR number P2, whose two files exist. The answer is the public point, X ‖ Y.
    func generateKeyPair(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0x80 && command.p2 != 0, else: .incorrectParameters)
        try require(command.data.isEmpty && command.ne != nil, else: .wrongLength)
        let (privateFile, publicFile) = try keyPair(command.p2)
        guard var privateKey = privateFile.rightsFile, var publicKey = publicFile.rightsFile,
            let curve = privateKey.curve, curve == publicKey.curve
        else { throw Refusal(.incorrectData) }
        try authorise(.update, on: privateFile)
        try authorise(.update, on: publicFile)

        let point: [UInt8]
        do throws(GOSTError) {
            let pair = try PrivateKey.generate(on: curve, random: random)
            point = try pair.publicKey().bytes
            privateKey.value = Sealed(pair.scalar.copy())
        } catch {
            throw Refusal(.memoryUnchanged)
        }
        publicKey.value = Sealed(copying: point)
        state.fileSystem.replaceContent(of: privateFile.path, with: .rights(privateKey))
        state.fileSystem.replaceContent(of: publicFile.path, with: .rights(publicKey))
        countChange()
        return Response(.success, data: point)
    }

    /// The two halves of a GOST key pair; both must exist and fit together.
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
