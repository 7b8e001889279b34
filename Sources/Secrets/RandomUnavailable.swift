// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The operating system could not deliver random bytes. Nothing that needed them may go on.
package struct RandomUnavailable: Error, Sendable {
    package init() {}
}
