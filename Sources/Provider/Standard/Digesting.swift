// SPDX-License-Identifier: Apache-2.0

public import CCryptoki
import Cryptoki
import Tokens

@c @implementation
public func C_DigestInit(_ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?) -> CK_RV {
    unsafe begin(hSession, CKF_DIGEST, pMechanism) { session, mechanism throws(CKError) in
        try session.digestInit(mechanism)
    }
}

@c @implementation
public func C_Digest(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pDigest: UnsafeMutablePointer<CK_BYTE>?, _ pulDigestLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe deliver(
        hSession, CKF_DIGEST, pData, ulDataLen, to: pDigest, pulDigestLen, "pulDigestLen", size: Session.digestSize
    ) { session, data throws(CKError) in
        try session.digest(data)
    }
}

@c @implementation
public func C_DigestUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG
) -> CK_RV {
    unsafe update(hSession, CKF_DIGEST, pPart, ulPartLen) { session, part throws(CKError) in
        try session.digestUpdate(part)
    }
}

@c @implementation
public func C_DigestKey(_ hSession: CK_SESSION_HANDLE, _ hKey: CK_OBJECT_HANDLE) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession) { session throws(CKError) in try session.digestKey(hKey) }
    }
}

@c @implementation
public func C_DigestFinal(
    _ hSession: CK_SESSION_HANDLE, _ pDigest: UnsafeMutablePointer<CK_BYTE>?,
    _ pulDigestLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe deliver(
        hSession, CKF_DIGEST, nil, 0, to: pDigest, pulDigestLen, "pulDigestLen", size: Session.digestSize
    ) { session, _ throws(CKError) in
        try session.digestFinal()
    }
}

@c @implementation
public func C_DigestEncryptUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG,
    _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ pulEncryptedPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe dualUpdate(hSession, .encryption, .digest, pPart, ulPartLen, pEncryptedPart, pulEncryptedPartLen)
}

@c @implementation
public func C_DecryptDigestUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ ulEncryptedPartLen: CK_ULONG,
    _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ pulPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe dualUpdate(hSession, .decryption, .digest, pEncryptedPart, ulEncryptedPartLen, pPart, pulPartLen)
}

@c @implementation
public func C_SignEncryptUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG,
    _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ pulEncryptedPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe dualUpdate(hSession, .encryption, .sign, pPart, ulPartLen, pEncryptedPart, pulEncryptedPartLen)
}

@c @implementation
public func C_DecryptVerifyUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ ulEncryptedPartLen: CK_ULONG,
    _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ pulPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe dualUpdate(hSession, .decryption, .verify, pEncryptedPart, ulEncryptedPartLen, pPart, pulPartLen)
}

/// The update of a cipher and of a second operation with the plaintext (PKCS #11 v2.40, 5.14).
private func dualUpdate(
    _ session: CK_SESSION_HANDLE, _ direction: CipherDirection, _ second: SecondOperation,
    _ part: UnsafeMutablePointer<CK_BYTE>?, _ count: CK_ULONG,
    _ result: UnsafeMutablePointer<CK_BYTE>?, _ resultCount: UnsafeMutablePointer<CK_ULONG>?,
    function: StaticString = #function
) -> CK_RV {
    call(function) { library throws(CKError) in
        try library.withSession(session, during: direction.operation | second.operation) { session throws(CKError) in
            let size = try session.activeCipher(direction).size(ofPart: length(count))
            let part = try unsafe input(part, count, "the part")
            try requireMemory(for: part.count)
            try unsafe Output(result, resultCount).fill(count: size) { () throws(CKError) in
                try unsafe session.dualUpdate(part.span, direction, second)
            }
        }
    }
}

extension SecondOperation {
    /// The operation (`CKF_`).
    fileprivate var operation: CK_FLAGS {
        switch self {
        case .digest: CKF_DIGEST
        case .sign: CKF_SIGN
        case .verify: CKF_VERIFY
        }
    }
}

@c @implementation
public func C_SeedRandom(
    _ hSession: CK_SESSION_HANDLE, _ pSeed: UnsafeMutablePointer<CK_BYTE>?, _ ulSeedLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let seed = try unsafe input(output(pSeed, "pSeed"), ulSeedLen, "pSeed", atMost: valueLimit)
        try library.withSession(hSession) { session throws(CKError) in unsafe session.seedRandom(seed.span) }
    }
}

@c @implementation
public func C_GenerateRandom(
    _ hSession: CK_SESSION_HANDLE, _ pRandomData: UnsafeMutablePointer<CK_BYTE>?, _ ulRandomLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe output(pRandomData, "pRandomData")
        let count = try length(ulRandomLen)
        guard count <= valueLimit else {
            throw .argumentsBad("\(count) bytes are asked for, the most is \(valueLimit)")
        }
        try requireMemory(for: count)
        let random = try library.withSession(hSession) { session throws(CKError) in
            try session.generateRandom(count)
        }
        for (index, byte) in random.prefix(count).enumerated() { unsafe place[index] = byte }
    }
}
