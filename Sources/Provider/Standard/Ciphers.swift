// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki

/// `C_Encrypt` and `C_Decrypt`.
func cipher(
    _ library: Library, _ session: CK_SESSION_HANDLE, _ direction: CipherDirection,
    _ data: UnsafeMutablePointer<CK_BYTE>?, _ count: CK_ULONG,
    _ result: UnsafeMutablePointer<CK_BYTE>?, _ resultCount: UnsafeMutablePointer<CK_ULONG>?
) throws(CKError) {
    try library.withSession(session, during: direction.operation) { session throws(CKError) in
        var size = try session.activeCipher(direction).size(ofWhole: length(count))
        let data = try unsafe input(data, count, "the data")
        try requireMemory(for: data.count)
        let output = try unsafe Output(result, resultCount)
        if output.isQuery || output.isTooSmall(for: size) {
            size = try unsafe session.activeCipher(direction).exactSize(of: data.span)
        }
        try output.fill(count: size) { () throws(CKError) in
            try unsafe session.cipher(data.span, direction)
        }
    }
}

/// `C_EncryptUpdate` and `C_DecryptUpdate`.
func cipherUpdate(
    _ library: Library, _ session: CK_SESSION_HANDLE, _ direction: CipherDirection,
    _ part: UnsafeMutablePointer<CK_BYTE>?, _ count: CK_ULONG,
    _ result: UnsafeMutablePointer<CK_BYTE>?, _ resultCount: UnsafeMutablePointer<CK_ULONG>?
) throws(CKError) {
    try library.withSession(session, during: direction.operation) { session throws(CKError) in
        let size = try session.activeCipher(direction).size(ofPart: length(count))
        let part = try unsafe input(part, count, "the part")
        try requireMemory(for: part.count)
        try unsafe Output(result, resultCount).fill(count: size) { () throws(CKError) in
            try unsafe session.cipherUpdate(part.span, direction)
        }
    }
}

/// `C_EncryptFinal` and `C_DecryptFinal`.
func cipherFinal(
    _ library: Library, _ session: CK_SESSION_HANDLE, _ direction: CipherDirection,
    _ result: UnsafeMutablePointer<CK_BYTE>?, _ resultCount: UnsafeMutablePointer<CK_ULONG>?
) throws(CKError) {
    try library.withSession(session, during: direction.operation) { session throws(CKError) in
        var size = try session.activeCipher(direction).finalSize
        let output = try unsafe Output(result, resultCount)
        if output.isQuery || output.isTooSmall(for: size) {
            size = try session.activeCipher(direction).exactFinalSize()
        }
        try output.fill(count: size) { () throws(CKError) in
            try session.cipherFinal(direction)
        }
    }
}

extension CipherDirection {
    /// The operation (`CKF_`).
    var operation: CK_FLAGS { self == .encryption ? CKF_ENCRYPT : CKF_DECRYPT }
}
