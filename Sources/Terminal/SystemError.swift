// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import HostProcess
import Locking
package import Translation

/// A refusal of the operating system.
package struct SystemError: Explained, Equatable {
    package let code: Int32
    /// The subject of the refusal, such as a file's name.
    package let subject: Phrase

    package init(_ code: Int32, _ subject: Phrase) {
        self.code = code
        self.subject = subject
    }

    package init(_ code: Int32, _ name: String) { self.init(code, Phrase(verbatim: name.printable)) }

    /// Whether the reader has closed the pipe.
    package var isClosedPipe: Bool { code == EPIPE }

    /// Whether the end was requested during the wait.
    package var isInterruption: Bool { code == EINTR }

    package var explanation: Phrase {
        "\(subject): \(Phrase(errno: code))"
    }
}
