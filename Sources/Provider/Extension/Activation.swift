// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki
import Glibc

@c @implementation
public func C_EX_SetActivationPassword(_ slotID: CK_SLOT_ID, _ password: UnsafeMutablePointer<CK_UTF8CHAR>?) -> CK_RV {
    call { library throws(CKError) in
        let text = try unsafe output(password, "password")
        // Any spelling of a password is much shorter. Text without an end before it is refused as malformed.
        let count = unsafe text.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe strnlen($0, 512) }
        let bytes = unsafe UnsafeBufferPointer(start: text, count: count)
        try unsafe library.activate(slotID, password: bytes.span)
    }
}

@c @implementation
public func C_EX_GenerateActivationPassword(
    _ hSession: CK_SESSION_HANDLE, _ ulPasswordNumber: CK_ULONG, _ pPassword: UnsafeMutablePointer<CK_UTF8CHAR>?,
    _ pulPasswordSize: UnsafeMutablePointer<CK_ULONG>?, _ ulPasswordCharacterSet: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let password = try unsafe Output(pPassword, pulPasswordSize, "pulPasswordSize")
        try library.withSession(hSession) { session throws(CKError) in
            let request = try session.activationPasswordRequest(
                number: ulPasswordNumber, characters: ulPasswordCharacterSet)
            try password.fill(count: request.length) { () throws(CKError) in
                try session.generateActivationPassword(request)
            }
        }
    }
}

/// The channel's keys come from an activation password; a key cannot be loaded. Only firmware older than GSC/1 had one.
@c @implementation
public func C_EX_LoadActivationKey(
    _ hSession: CK_SESSION_HANDLE, _ key: UnsafeMutablePointer<CK_BYTE>?, _ keySize: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        _ = try library.sessionInfo(hSession)
        throw .functionNotSupported
    }
}
