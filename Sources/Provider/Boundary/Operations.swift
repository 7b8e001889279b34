// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Tokens

/// Begins an operation, or ends the active one if NULL stands for its mechanism (PKCS #11 v3.0, 5.8.1).
///
/// - Parameter operation: The operation (`CKF_`).
/// - Throws: `CKR_ARGUMENTS_BAD` for NULL without an active operation, as in versions before 3.0.
func begin(
    _ library: Library, _ session: CK_SESSION_HANDLE, _ operation: CK_FLAGS,
    _ mechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ body: (Session, Mechanism) throws(CKError) -> Void
) throws(CKError) {
    guard unsafe mechanism != nil else {
        return try library.withSession(session) { session throws(CKError) in
            guard session.activeOperations & operation != 0 else {
                throw .argumentsBad("pMechanism is NULL, and no operation is active that this could end")
            }
            session.cancel(operation)
        }
    }
    let mechanism = try unsafe Mechanism(mechanism)
    try naming(mechanism) { () throws(CKError) in
        try library.withSession(session) { session throws(CKError) in try body(session, mechanism) }
    }
}

/// Runs `body`, and names the mechanism in the reasons of its refusals.
func naming<Result>(_ mechanism: Mechanism, _ body: () throws(CKError) -> Result) throws(CKError) -> Result {
    do throws(CKError) { return try body() } catch { throw error.naming(mechanism.type) }
}
