// SPDX-License-Identifier: Apache-2.0

package import APDU

/// The state that the commands of one session leave on the card: a login, the selected file, the environment. It never
/// reaches another context.
package protocol CardContext: AnyObject {
    /// Whether links of a chain wait for the last one (ISO/IEC 7816-4, 5.3.3).
    var isInChain: Bool { get }
    /// Whether the administrator's PIN was presented.
    var isAdministrator: Bool { get }

    /// Executes a command without secure messaging and returns the whole answer, however long.
    func execute(_ command: borrowing Command) -> Response
    /// Forgets the links of a chain.
    func abortChain()
    /// Forgets everything.
    func clear()
}
