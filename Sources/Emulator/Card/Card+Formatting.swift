// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TokenEnd

/// Formatting (vendor): an erase begins it, END OF INIT ends it, and in between nothing needs a right.
extension Card {
    /// ERASE: `80 7A 00|02 00` by the administrator, whose PIN may be blocked, and `80 8A 00 00` without a login,
    /// unless the identity says otherwise.
    ///
    /// Serial number, counters, journal, licences and the secure channel's pairings stay (GSC/1, 6).
    func erase(_ command: borrowing Command) throws(Refusal) -> Response {
        let isVendors = command.ins == 0x7A
        try require(command.p2 == 0 && (command.p1 == 0 || isVendors && command.p1 == 2), else: .incorrectParameters)
        try require(command.data.isEmpty, else: .wrongLength)
        if isVendors || identity.erasesForAdministratorOnly { try authoriseErase() }

        if identity.isSlow { pause(2300) }
        state.formatNonce = try randomBytes(16)
        state.fileSystem = FileSystem()
        state.forcedChange = [0, 0, 0, 0]
        state.defaultUserPIN = nil
        state.isInitialising = true
        wasErased = true
        context = Context()
        return Response(.success)
    }

    private func authoriseErase() throws(Refusal) {
        let pin = state.fileSystem.pin(AccessConditions.administrator)?.rightsFile
        try require(
            state.isInitialising || context.rights.contains(AccessConditions.administrator) || pin?.triesLeft == 0,
            else: .securityStatusNotSatisfied)
    }

    /// END OF INIT, `80 84 4E 19`. It may be repeated.
    func endInitialisation(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0x4E && command.p2 == 0x19, else: .incorrectParameters)
        try require(command.data.isEmpty, else: .wrongLength)
        if identity.isSlow { pause(400) }
        if state.isInitialising { state.isInitialising = false }
        return Response(.success)
    }
}
