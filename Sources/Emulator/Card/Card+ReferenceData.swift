// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets
import TokenEnd

/// CHANGE REFERENCE DATA: the value of a PIN or key.
extension Card {
    /// P2 names a global PIN, or is 00 for the selected rights file.
    func changeReferenceData(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0x01, else: .incorrectParameters)
        let data = try ReferenceData(parsing: command.data.bytes)
        switch command.p2 {
        case 0x00:
            let file = try currentFile()
            if file.rightsFile?.type == .localPIN {
                try change(file, number: Int(file.path.identifier), to: data)
            } else {
                try importKey(data, into: file)
            }
        case 0x01, 0x02:
            guard let file = state.fileSystem.pin(Int(command.p2)) else { throw Refusal(.fileNotFound) }
            try change(file, number: Int(command.p2), to: data)
        default:
            throw Refusal(.incorrectParameters)
        }
        return Response(.success)
    }

    /// Imports a key, if the data are one.
    private func importKey(_ data: borrowing ReferenceData, into file: File) throws(Refusal) {
        guard var key = file.rightsFile else { throw Refusal(.fileNotFound) }
        try authorise(.update, on: file)
        try require(!data.isText, else: .incorrectData)
        let value = try key.type.isSecretKey ? secretKey(data, file) : keyHalf(data, file)
        key.value = value
        key.flags |= RightsFileFlags.imported
        state.fileSystem.replaceContent(of: file.path, with: .rights(key))
        countChange()
    }

    private func secretKey(_ data: borrowing ReferenceData, _ file: File) throws(Refusal) -> Sealed {
        try require(data.value.count == file.size, else: .incorrectData)
        return Sealed(data.value.copy())
    }

    /// A half of a key pair that computes. Those of ECDSA may be filled up with zeros to the size of the file.
    private func keyHalf(_ data: borrowing ReferenceData, _ file: File) throws(Refusal) -> Sealed {
        guard let algorithm = file.algorithm, let type = file.rightsFile?.type else { throw Refusal(.incorrectData) }
        var value = data.value.copy()
        if case .ec = algorithm {
            let count = ECKey.size * (type.isPublicKey ? 2 : 1)
            try require(value.count == count || value.count == file.size, else: .incorrectData)
            try require((count..<value.count).allSatisfy { value.bytes[$0] == 0 }, else: .incorrectData)
            value = value.extracting(0..<count)
        } else {
            try require(value.count == file.size, else: .incorrectData)
        }
        do {
            switch (algorithm, type.isPublicKey) {
            case (.gost(let curve), true): _ = try PublicKey(curve: curve, bytes: [UInt8](copying: value))
            case (.gost(let curve), false): _ = try PrivateKey(curve: curve, scalar: value.copy())
            case (.rsa, false): _ = try RSAKey(value)
            case (.ec(let curve), false): _ = try ECKey(value, on: curve)
            case (.ec(let curve), true): try ECKey.validate(publicKey: value.bytes, on: curve)
            case (.rsa, true): try require(value.bytes[0] & 1 == 1, else: .incorrectData)
            }
        } catch {
            throw Refusal(.incorrectData)
        }
        return Sealed(value)
    }
}

/// `80 02 <length> A5|A6 LL <bytes>`: a value, raw (A5) or as text (A6). A long value comes in several pieces, each with
/// its own header, whose length is one raw byte.
struct ReferenceData: ~Copyable {
    let isText: Bool
    let value: Secret

    init(parsing bytes: Span<UInt8>) throws(Refusal) {
        try require(bytes.count >= 6 && bytes[0] == 0x80 && bytes[1] == 0x02, else: .incorrectData)
        let total = Int(bytes[2]) << 8 | Int(bytes[3])
        let tag = bytes[4]
        try require(tag == 0xA5 || tag == 0xA6, else: .incorrectData)
        var collected = Secret(count: 0)
        var offset = 4
        while offset < bytes.count {
            try require(offset + 2 <= bytes.count && bytes[offset] == tag, else: .incorrectData)
            let end = offset + 2 + Int(bytes[offset + 1])
            try require(end <= bytes.count, else: .incorrectData)
            collected = collected.appending(bytes.extracting(offset + 2..<end))
            offset = end
        }
        try require(collected.count == total, else: .incorrectData)
        isText = tag == 0xA6
        value = collected
    }
}
