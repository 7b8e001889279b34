// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Tokens

/// Begins an operation, or ends the active one if NULL stands for its mechanism (PKCS #11 v3.0, 5.8.1).
///
/// - Parameter operation: The operation (`CKF_`).
/// - Throws: `CKR_ARGUMENTS_BAD` for NULL without an active operation, as in versions before 3.0.
func begin(
    _ session: CK_SESSION_HANDLE, _ operation: CK_FLAGS, _ mechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    function: StaticString = #function, _ body: (Session, Mechanism) throws(CKError) -> Void
) -> CK_RV {
    call(function) { library throws(CKError) in
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
}

/// Passes the next part of the data to an operation.
func update(
    _ session: CK_SESSION_HANDLE, _ operation: CK_FLAGS, _ part: UnsafeMutablePointer<CK_BYTE>?, _ count: CK_ULONG,
    function: StaticString = #function, _ body: (Session, Span<UInt8>) throws(CKError) -> Void
) -> CK_RV {
    call(function) { library throws(CKError) in
        try library.withSession(session, during: operation) { session throws(CKError) in
            let part = try unsafe input(part, count, "pPart")
            try unsafe body(session, part.span)
        }
    }
}

/// Ends an operation by its result, unless the caller only asks for the result's length, or has too little room.
///
/// - Parameters:
///   - data: The data of an operation in one step; NULL for the last step of others.
///   - size: The greatest length of the result.
func deliver(
    _ session: CK_SESSION_HANDLE, _ operation: CK_FLAGS, _ data: UnsafeMutablePointer<CK_BYTE>?, _ count: CK_ULONG,
    to result: UnsafeMutablePointer<CK_BYTE>?, _ resultCount: UnsafeMutablePointer<CK_ULONG>?, _ name: StaticString,
    function: StaticString = #function, size: (Session) -> () throws(CKError) -> Int,
    _ body: (Session, Span<UInt8>) throws(CKError) -> [UInt8]
) -> CK_RV {
    call(function) { library throws(CKError) in
        try library.withSession(session, during: operation) { session throws(CKError) in
            let size = try size(session)()
            let data = try unsafe input(data, count, "pData")
            let output = try unsafe Output(result, resultCount, name)
            guard try output.hasRoom(for: size) else { return }
            try unsafe output.store(body(session, data.span), atMost: size)
        }
    }
}

/// Runs `body`, and names the mechanism in the reasons of its refusals.
func naming<Result>(_ mechanism: Mechanism, _ body: () throws(CKError) -> Result) throws(CKError) -> Result {
    do throws(CKError) { return try body() } catch { throw error.naming(mechanism.type) }
}
