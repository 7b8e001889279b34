// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Secrets

/// Questions to a person.
package protocol Conversation: AnyObject {
    var style: Style { get }

    /// Writes a text; if it cannot be written it is dropped, and the next answer reports the lost terminal.
    func show(_ text: String)

    /// Asks for a line, which is shown as it is typed.
    func line(_ prompt: String) throws(Console.Failure) -> String

    /// Asks for a secret, without echo.
    func secret(_ prompt: String) throws(Console.Failure) -> Secret
}
