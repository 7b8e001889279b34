// SPDX-License-Identifier: Apache-2.0
package import Asking
import HostCrypto
import SecureChannel
import Token

/// The error of a call that works with tokens: this target's own, or the error that a library makes of it.
package protocol TokenCallError: Error {
    init(_ error: TokensError)

    /// Whether the token was removed, or another is in its place.
    var isRemoval: Bool { get }
    /// Whether the token, which refuses a session, wants to be activated, or to be so again.
    var needsActivation: Bool { get }
    /// How a question to the user ended without an answer.
    var unanswered: AskingError? { get }
    /// Why a PIN was refused, if another one can help.
    var pinFault: PINFault? { get }

    /// This error of a call that met another one before, with its reason, if the error keeps several.
    func following(_ reason: TokensError) -> Self
}
