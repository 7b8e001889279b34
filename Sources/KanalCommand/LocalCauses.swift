// SPDX-License-Identifier: Apache-2.0
import Configuration
import KanalKit
import Terminal
import Translation

extension TokenAccess {
    /// Begins to work with the readers, and reports which lines of `kanal.conf` are wrong.
    func begin() throws -> TokenManager {
        try sayFaults()
        return try manager()
    }

    /// Reports which lines of `kanal.conf` are wrong.
    func sayFaults() throws {
        let style = OutputStream.error.style
        for fault in (localState()?.faults ?? []) where fault.isError {
            let line = "kanal: \(translated(fault.placed).printable)\n"
            try OutputStream.error.write(line.wrapped(to: style.width, indent: "  "))
        }
    }
}

extension LocalState.Fault {
    /// The text behind the file and the line.
    var placed: Phrase { "\(place): \(text)" }

    /// The file and the line.
    fileprivate var place: String { line.map { "\(file):\($0)" } ?? file }
}

/// Causes of a token's errors in this user's settings and stores.
enum LocalCauses {
    /// The error of a token, with what causes it on this machine.
    static func explained(_ error: any Error) async -> any Error {
        guard let error = error as? KanalError, isOfChannel(error) else { return error }
        let access = TokenAccess.current
        guard let state = await Deadline.run({ access.localState() }) ?? nil else { return error }
        if state.isClosed { return closed(by: state.faults.first(where: \.isError)) }
        guard error.isOfStore, let status = ExitStatus(of: error), let text = ExitStatus.message(of: error) else {
            return error
        }
        let findings = await Deadline.run { StoreChecks(person: CurrentUser(), places: state.places).findings() }
        guard let finding = findings?.first(where: { $0.severity == .error }) else { return error }
        return CommandError(status, "\(text): \(finding.problem). Remedy: \(finding.remedy)")
    }

    /// The fault of `kanal.conf` because of which no token is used.
    static func closingFault() async -> LocalState.Fault? {
        let access = TokenAccess.current
        guard let state = await Deadline.run({ access.localState() }) ?? nil, state.isClosed else { return nil }
        return state.faults.first(where: \.isError)
    }

    /// The error of a token that is not used because of a fault of `kanal.conf`.
    static func closed(by fault: LocalState.Fault?) -> CommandError {
        CommandError(.failed, "no token is used before kanal.conf is corrected: \(fault?.place ?? "kanal.conf")")
    }

    private static func isOfChannel(_ error: KanalError) -> Bool {
        switch error {
        case .notActivated, .channelMissing: true
        default: error.isOfStore
        }
    }
}

extension KanalError {
    /// Whether the store of pairings may be the cause.
    fileprivate var isOfStore: Bool {
        switch self {
        case .channelUnusable, .refused(code: "CKR_FUNCTION_FAILED", _): true
        default: false
        }
    }
}
