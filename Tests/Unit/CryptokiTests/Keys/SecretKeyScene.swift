// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Secrets
import TestSupport

/// A session with a token in which User is logged in, for operations with keys of the session.
struct SecretKeyScene {
    let application: Application
    let session: CK_SESSION_HANDLE

    init() throws {
        (_, application, session) = try TokenKeyTests.start(.usb)
    }

    func inSession<Result>(_ body: (Session) throws(CKError) -> Result) throws(CKError) -> Result {
        try application.library.withSession(session, body)
    }

    /// A secret key with a known value.
    func key(
        _ type: CK_KEY_TYPE, _ value: [UInt8], _ more: [(CK_ATTRIBUTE_TYPE, [UInt8])] = []
    ) throws(CKError) -> CK_OBJECT_HANDLE {
        var template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = [
            (CKA_CLASS, CKO_SECRET_KEY.bytes), (CKA_KEY_TYPE, type.bytes), (CKA_VALUE, value),
        ]
        template += more.map { ($0.0, $0.1) }
        let attributes = try Attributes(template: template)
        return try inSession { session throws(CKError) in try session.createObject(attributes) }
    }

    func generate(
        _ mechanism: CK_MECHANISM_TYPE, _ template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = []
    ) throws(CKError) -> CK_OBJECT_HANDLE {
        let attributes = try Attributes(template: template)
        return try inSession { session throws(CKError) in
            try session.generateKey(Mechanism(type: mechanism, parameter: []), template: attributes)
        }
    }

    /// Encrypts or decrypts, in one part or in parts of `size` bytes.
    func cipher(
        _ direction: CipherDirection, _ mechanism: CK_MECHANISM_TYPE, with parameter: [UInt8] = [],
        _ key: CK_OBJECT_HANDLE, _ text: [UInt8], parts size: Int? = nil
    ) throws(CKError) -> [UInt8] {
        let mechanism = Mechanism(type: mechanism, parameter: parameter)
        return try inSession { session throws(CKError) in
            if direction == .encryption {
                try session.encryptInit(mechanism, key: key)
            } else {
                try session.decryptInit(mechanism, key: key)
            }
            guard let size else {
                let result = try session.cipher(text.span, direction)
                return [UInt8](copying: result)
            }
            var result: [UInt8] = []
            for start in stride(from: 0, to: text.count, by: size) {
                let part = text[start..<min(start + size, text.count)]
                let count = try session.activeCipher(direction).size(ofPart: part.count)
                let bytes = try session.cipherUpdate(Array(part).span, direction)
                guard bytes.count == count else { throw .generalError }
                result += [UInt8](copying: bytes)
            }
            let count = try session.activeCipher(direction).exactFinalSize()
            let end = try session.cipherFinal(direction)
            guard end.count == count else { throw .generalError }
            return result + [UInt8](copying: end)
        }
    }

    func sign(
        _ mechanism: CK_MECHANISM_TYPE, with parameter: [UInt8] = [], _ key: CK_OBJECT_HANDLE, _ data: [UInt8]
    ) throws(CKError) -> [UInt8] {
        try inSession { session throws(CKError) in
            try session.signInit(Mechanism(type: mechanism, parameter: parameter), key: key)
            return try session.sign(data.span)
        }
    }

    func verify(
        _ mechanism: CK_MECHANISM_TYPE, with parameter: [UInt8] = [], _ key: CK_OBJECT_HANDLE, _ data: [UInt8],
        _ signature: [UInt8]
    ) throws(CKError) {
        try inSession { session throws(CKError) in
            try session.verifyInit(Mechanism(type: mechanism, parameter: parameter), key: key)
            try session.verify(data.span, signature: signature)
        }
    }

    func digest(_ mechanism: CK_MECHANISM_TYPE, _ data: [UInt8]) throws(CKError) -> [UInt8] {
        try inSession { session throws(CKError) in
            try session.digestInit(Mechanism(type: mechanism, parameter: []))
            return try session.digest(data.span)
        }
    }
}
