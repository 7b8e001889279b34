// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import Cryptoki
import PCSC
import Tokens

/// A mutex that the application makes and locks with functions of its own, because the operating system's locks do not
/// suit its threads (PKCS #11 v2.40, 3.7). It is destroyed with its last reference.
@safe
final class ApplicationMutex: @unchecked Sendable {
    private let functions: CK_C_INITIALIZE_ARGS
    private let mutex: UnsafeMutableRawPointer?

    /// - Parameter functions: All four functions.
    /// - Throws: `CKR_HOST_MEMORY` or `CKR_CANT_LOCK` if the application makes none.
    init(_ functions: CK_C_INITIALIZE_ARGS) throws(CKError) {
        unsafe self.functions = unsafe functions
        var mutex: UnsafeMutableRawPointer?
        switch unsafe functions.CreateMutex?(&mutex) {
        case CK_RV(CKR_OK): unsafe self.mutex = unsafe mutex
        case CK_RV(CKR_HOST_MEMORY): throw .hostMemory
        default: throw .cannotLock
        }
    }

    deinit { _ = unsafe functions.DestroyMutex?(mutex) }

    /// - Throws: `CKR_GENERAL_ERROR` if the application refuses the lock.
    func lock() throws(CKError) {
        guard unsafe functions.LockMutex?(mutex) == CK_RV(CKR_OK) else { throw .generalError }
    }

    func unlock() { _ = unsafe functions.UnlockMutex?(mutex) }
}

/// The locks of a running call: the mutex of an application that locks with functions of its own, and the gate that
/// forks wait at.
struct ApplicationHold: CallHold {
    let mutex: ApplicationMutex?

    func release() {
        mutex?.unlock()
        ForkGate.leaveLibrary()
    }

    func resume() {
        ForkGate.enterLibrary()
        // The call ends with an unlock in any case.
        try? mutex?.lock()
    }
}
