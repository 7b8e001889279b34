// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

@c @implementation
public func C_EX_GetTokenInfoExtended(
    _ slotID: CK_SLOT_ID, _ pInfo: UnsafeMutablePointer<CK_TOKEN_INFO_EXTENDED>?
) -> CK_RV {
    call { library throws(CKError) in
        let info = try unsafe output(pInfo, "pInfo")
        // Programs of every age pass the size of the structure that they know: the shortest ends behind ulATRLen.
        let size = try unsafe length(info.pointee.ulSizeofThisStructure)
        guard size >= 208 else { throw .argumentsBad("ulSizeofThisStructure is \(size), below 208") }
        var answer = try CK_TOKEN_INFO_EXTENDED(library.token(in: slotID, evicting: true))
        let filled = min(size, MemoryLayout<CK_TOKEN_INFO_EXTENDED>.size)
        answer.ulSizeofThisStructure = CK_ULONG(filled)
        unsafe UnsafeMutableRawPointer(info).copyMemory(from: &answer, byteCount: filled)
    }
}
