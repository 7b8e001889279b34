// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import HostProcess
import KanalKit

/// Receives answers for as long as it is kept.
final class CallbackReceiver: Sendable {
    /// The address that answers go to, without parameters.
    let callback: String
    private let listener: AnswerListener
    /// The path of its socket, if it has one.
    private let path: String?

    init(callback: String, listener: AnswerListener, path: String? = nil) {
        (self.callback, self.listener, self.path) = (callback, listener, path)
    }

    deinit {
        if let path { unsafe unlink(path) }
    }
}
