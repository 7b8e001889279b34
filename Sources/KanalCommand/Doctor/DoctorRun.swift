// SPDX-License-Identifier: Apache-2.0

import Configuration
import Dispatch
import KanalKit
import Terminal
import Translation

/// All that is looked at, in the order in which things go wrong. Nothing is changed by it, and each step has a time
/// limit.
struct DoctorRun {
    /// This command's version.
    let version: String
    /// For the check of key containers; nil for one without a PIN.
    var pin: HeldPIN?

    func findings() async -> [Finding] {
        guard let (person, processes) = await Deadline.run({ (CurrentUser(), RunningProcess.all()) }) else {
            return [Self.hung("processes", "reading /proc and /etc/passwd", remedy: "Restart the machine")]
        }
        let state = await localState()
        let (services, states) = await readers(person, processes, state?.configurationFile)
        var findings = services
        // With a token in a reader, no radio is needed.
        if let states, !states.contains(where: { $0.condition == .token }) {
            findings += await step("bluetooth") {
                BluetoothChecks(person: person, bluetooth: Bluetooth.look()).findings()
            }
        }
        let isServed = states.map { !$0.isEmpty }
        findings += await step("devices") {
            DeviceChecks(person: person, processes: processes, hasReaders: isServed).findings()
        }
        let version = version
        findings += await step("library") { LibraryChecks(person: person, version: version).findings() }
        if let state {
            findings += await step("configuration") { ConfigurationChecks(person: person, state: state).findings() }
            findings += await step("home") { HomeChecks(person: person, state: state).findings() }
            findings += await step("containers") { FolderChecks(person: person, state: state).findings() }
            findings += await step("store") { StoreChecks(person: person, places: state.places).findings() }
        } else {
            findings.append(
                Self.hung(
                    "home", "the user's home directory and kanal.conf",
                    remedy: "Make the server of the home directories, or of the users, answer again"))
        }
        findings += await step("clock") { ClockCheck(person: person).findings() }
        findings += await step("openssl") { OpenSSLCheck(person: person).findings() }
        let configurationFile = state?.configurationFile
        findings += await step("programs") {
            ProgramChecks(person: person, configurationFile: configurationFile).findings()
        }
        if states != nil, let manager = try? TokenAccess.current.manager() {
            // What keeps a token from being used at all keeps its channel closed, too.
            if !findings.contains(where: { $0.severity == .error }) {
                findings += await ChannelChecks(person: person).findings(manager)
            }
            // A card that is held answers none of these.
            if !findings.contains(where: { $0.severity == .error && $0.check.hasPrefix("reader.") }) {
                findings += await ContainerChecks(pin: pin).findings(manager)
                findings += await TokenChecks().findings(manager)
            }
            findings += await HiddenKeysCheck(configurationFile: configurationFile).findings(manager)
        }
        return findings
    }

    private func step(_ name: String, _ body: @escaping @Sendable () -> [Finding]) async -> [Finding] {
        await Deadline.run(body) ?? [
            Self.hung(
                name, "the files that belong to it", remedy: "Make the file systems that do not answer available again")
        ]
    }

    private static func hung(_ name: String, _ what: Phrase, remedy: Phrase) -> Finding {
        .error("\(name).hangs", "examining \(what) took longer than 6 s", remedy: remedy)
    }

    /// nil if that hangs, as a home directory on another machine may.
    private func localState() async -> LocalState? {
        let access = TokenAccess.current
        return await Deadline.run { access.localState() } ?? nil
    }

    /// The service, and what it knows: nil if it could not be asked.
    private func readers(
        _ person: CurrentUser, _ processes: [RunningProcess], _ configurationFile: String?
    ) async -> ([Finding], [CardState]?) {
        let looked = await Deadline.run {
            let checks = ServiceChecks(person: person, probe: ServiceProbe(), processes: processes)
            return (checks, checks.findings())
        }
        guard let (service, findings) = looked else {
            let hung = Self.hung(
                "pcscd", "the files that belong to it",
                remedy: "Make the file systems that do not answer available again")
            return ([hung], nil)
        }
        guard findings.isEmpty else { return (findings, nil) }
        do {
            let manager = try TokenAccess.current.manager()
            let states = try await Deadline.run { try await manager.cardStates(asking: VirtualReaders.has) }
            let found = await step("reader") {
                ReaderChecks(
                    person: person, states: states, processes: processes, clients: service.clients,
                    configurationFile: configurationFile
                ).findings()
            }
            return (found, states)
        } catch {
            let problem = error as? KanalError
            return (
                await step("pcscd") {
                    switch problem {
                    case .notStarted(.noServiceLibrary)?:
                        [
                            .error(
                                "pcscd.library", "libpcsclite.so.1, by which programs reach pcscd, is not installed",
                                remedy: person.installPCSCLite)
                        ]
                    case .notStarted(.serviceRefuses)?: [service.refuses]
                    case .notStarted(.serviceIncompatible)?: [service.isIncompatible]
                    case .cancelled?: [service.isStuck]
                    case let problem?: [.error("pcscd.readers", problem.explanation, remedy: service.restart)]
                    case nil: [.error("pcscd.readers", "the readers cannot be examined", remedy: service.restart)]
                    }
                }, nil
            )
        }
    }
}
