// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import TokenEnd

/// PINs: VERIFY, its reset, RESET RETRY COUNTER, and the rules of a PIN's value.
extension Card {
    /// The PINs of every new token.
    static let standardPINs = ["87654321", "12345678"].map { [UInt8]($0.utf8) }
    /// The longest PIN.
    private static let maximumLength = 249

    /// VERIFY. Without data it returns the tries left. A PIN that is verified already is not checked again, unless the
    /// identity does so; then a wrong PIN revokes the right.
    func verify(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0, else: .incorrectParameters)
        let number = try Card.pinNumber(inVerify: command.p2)
        guard var pin = state.fileSystem.pin(number)?.rightsFile else { throw Refusal(.fileNotFound) }
        guard !command.data.isEmpty else {
            let blocked = pin.triesLeft == 0
            return Response(blocked ? .authenticationBlocked : StatusWord(0x63C0 | UInt16(pin.triesLeft)))
        }
        try require(!context.rights.contains(number) || identity.verifiesAgain, else: .alreadyVerified)
        try require(pin.triesLeft > 0, else: .authenticationBlocked)
        guard let value = pin.value else { throw Refusal(.referencedDataNotFound) }

        // The try is spent before the comparison, so that a power cut does not give it back.
        let wasFull = pin.triesLeft == pin.maximumTries
        pin.triesLeft -= 1
        state.fileSystem.replacePIN(number, with: pin)
        try commit()
        guard value.matches(command.data) else {
            context.rights.remove(number)
            countChange()
            throw Refusal(.verificationFailed)
        }
        pin.triesLeft = pin.maximumTries
        state.fileSystem.replacePIN(number, with: pin)
        if !wasFull { countChange() }
        context.rights.insert(number)
        return Response(.success)
    }

    /// RESET RIGHTS (vendor): of all PINs, or of one.
    func resetRights(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0 && command.p2 <= 31, else: .incorrectParameters)
        if command.p2 == 0 { context.rights = [] } else { context.rights.remove(Int(command.p2)) }
        return Response(.success)
    }

    /// RESET RETRY COUNTER of a global PIN; the value stays.
    func resetRetryCounter(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0x03 && (1...2).contains(command.p2), else: .incorrectParameters)
        try require(command.data.isEmpty, else: .wrongLength)
        let number = Int(command.p2)
        guard let file = state.fileSystem.pin(number), var pin = file.rightsFile else { throw Refusal(.fileNotFound) }
        try authorise(.unblock, on: file)
        pin.triesLeft = pin.maximumTries
        state.fileSystem.replacePIN(number, with: pin)
        countChange()
        return Response(.success)
    }

    /// Sets the PIN's value, which an empty one resets to the default (user's PIN, by the administrator only).
    func change(_ file: File, number: Int, to data: borrowing ReferenceData) throws(Refusal) {
        guard var pin = file.rightsFile else { throw Refusal(.fileNotFound) }
        let isReset = number == AccessConditions.user && data.value.isEmpty
        try authoriseChange(of: file, isReset: isReset)
        let value =
            isReset
            ? defaultPIN(number).map { SharedSecret($0.secret.copy()) } : SharedSecret(data.value.copy())
        guard let value else { throw Refusal(.incorrectData) }
        let lengths = max(pin.minimumLength, 1)...max(pin.minimumLength, Card.maximumLength)
        try require(isReset || lengths.contains(value.secret.count), else: .incorrectData)

        pin.flags = pin.flags & ~RightsFileFlags.text | (data.isText ? RightsFileFlags.text : 0)
        if pin.type == .localPIN {
            pin.flags |= RightsFileFlags.localPINSet
        } else if defaultPIN(number)?.matches(value.secret) == true {
            pin.flags &= ~RightsFileFlags.pinChanged
        } else {
            pin.flags |= RightsFileFlags.pinChanged
        }
        pin.value = value
        state.fileSystem.replacePIN(number, with: pin)
        if number == AccessConditions.user, context.rights.contains(number) { state.forcedChange = [0, 0, 0, 0] }
        countChange()
    }

    /// The PIN's own condition decides. The first value of a PIN needs the right to create it.
    private func authoriseChange(of file: File, isReset: Bool) throws(Refusal) {
        if file.rightsFile?.value == nil, file.rightsFile?.type == .localPIN {
            guard let directory = state.fileSystem[context.directory] else { throw Refusal(.fileNotFound) }
            return try authorise(.createRightsFile, on: directory)
        }
        try authorise(.update, on: file)
        guard isReset, !state.isInitialising else { return }
        let administrator: Set = [AccessConditions.administrator]
        try require(
            context.rights.isSuperset(of: administrator) && file.conditions.permit(.update, to: administrator),
            else: .securityStatusNotSatisfied)
    }

    private func defaultPIN(_ number: Int) -> SharedSecret? {
        if number == AccessConditions.user, let own = state.defaultUserPIN { return own }
        return Card.standardPINs.indices.contains(number - 1)
            ? SharedSecret(copying: Card.standardPINs[number - 1]) : nil
    }

    /// 01 and 02 are the global PINs, 80 + N the local PIN N.
    private static func pinNumber(inVerify p2: UInt8) throws(Refusal) -> Int {
        switch p2 {
        case 0x01, 0x02: return Int(p2)
        case 0x83...0x9F: return Int(p2 & 0x1F)
        default: throw Refusal(.incorrectParameters)
        }
    }
}

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

    private func secretKey(_ data: borrowing ReferenceData, _ file: File) throws(Refusal) -> SharedSecret {
        try require(data.value.count == file.size, else: .incorrectData)
        return SharedSecret(data.value.copy())
    }

    /// A half of a key pair that computes. ECDSA's may be filled up with zeros to the size of the file.
    private func keyHalf(_ data: borrowing ReferenceData, _ file: File) throws(Refusal) -> SharedSecret {
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
        return SharedSecret(value)
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
