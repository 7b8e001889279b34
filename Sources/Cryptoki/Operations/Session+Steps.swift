package import CCryptoki

extension Session {
    /// Takes a step of active operations, from the caller's arguments to the answer. An error ends them.
    ///
    /// Two errors do not: `CKR_BUFFER_TOO_SMALL`, and the `CKR_OPERATION_ACTIVE` of a function for data in one part that
    /// meets an operation whose data came in parts, which it must not end (PKCS #11 v2.40, 5.8 to 5.14).
    ///
    /// - Parameter operations: All that must be active (`CKF_`).
    /// - Throws: `CKR_OPERATION_NOT_INITIALIZED` if one is not, which ends none; whatever `body` throws.
    package func step<Result>(
        of operations: CK_FLAGS, _ body: (Session) throws(CKError) -> Result
    ) throws(CKError) -> Result {
        guard activeOperations & operations == operations else { throw .operationNotInitialised }
        do throws(CKError) { return try body(self) } catch {
            if ![.bufferTooSmall, .operationActive].contains(error) { cancel(operations) }
            throw error
        }
    }
}
