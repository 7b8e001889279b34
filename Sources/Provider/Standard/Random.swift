// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

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
