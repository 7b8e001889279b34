// SPDX-License-Identifier: Apache-2.0
import Cryptoki
import PCSC

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
