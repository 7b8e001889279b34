// SPDX-License-Identifier: Apache-2.0

import APDU
import CCryptoki
import Configuration
import ContainerFolders
import Cryptoki
import Glibc
import HostProcess
import Locking
import Logging
import PCSC
import Storage
import Token
import Tokens
import Translation

/// The library in this process: none before `C_Initialize`, and none again in a forked child.
final class Process: Sendable {
    private let mark = ForkMark()
    private let library = Lock<Initialised?>(nil)
    /// The messages to the administrator.
    let administratorLog = AdministratorLog(program: HostNames.program())

    /// The result of `C_Initialize`.
    struct Initialised {
        let library: Library
        /// Held during each call, where the application locks with functions of its own.
        let mutex: ApplicationMutex?
    }

    /// The present process's. A forked child finds the parent's here, and never uses it: its connections belong to the
    /// parent, and its locks may be held by threads that the child does not have.
    static var current: Process {
        if unsafe instance.mark.isOwn { return unsafe instance }
        return replacement.withLock { _ in
            if unsafe !instance.mark.isOwn {
                unsafe _ = Unmanaged.passRetained(instance)
                unsafe instance = Process()
            }
            return unsafe instance
        }
    }

    nonisolated(unsafe) private static var instance = Process()
    private static let replacement = Lock<Void>(())

    /// - Throws: `CKR_CRYPTOKI_NOT_INITIALIZED`.
    func initialised() throws(CKError) -> Initialised {
        guard let initialised = library.withLock({ $0 }) else { throw .notInitialised }
        return initialised
    }

    /// - Throws: `CKR_CRYPTOKI_ALREADY_INITIALIZED`; the errors of `make` and `makeMutex`.
    func initialise(
        _ make: (ApplicationMutex?) throws(CKError) -> Library, mutex makeMutex: () throws(CKError) -> ApplicationMutex?
    ) throws(CKError) {
        try library.withLock { library throws(CKError) in
            guard library == nil else { throw .alreadyInitialised }
            let mutex = try makeMutex()
            library = try Initialised(library: make(mutex), mutex: mutex)
        }
    }

    /// Takes the library away from further calls, and ends it.
    ///
    /// - Throws: `CKR_CRYPTOKI_NOT_INITIALIZED`.
    func finalise() throws(CKError) {
        let mutex = try initialised().mutex
        try mutex?.lock()
        defer { mutex?.unlock() }
        guard let ended = library.withLock({ $0.take() }) else { throw .notInitialised }
        ended.library.finalize()
    }
}

/// Tells a process from its forked children without a system call, by memory that is empty in a child (madvise(2)).
@safe
struct ForkMark: @unchecked Sendable {
    /// True in the process that made the mark; nil where the kernel has no such memory.
    private let page: UnsafePointer<Bool>?
    private let process = getpid()

    init() {
        let size = max(sysconf(Int32(_SC_PAGESIZE)), 1)
        let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
            unsafe page = nil
            return
        }
        guard unsafe madvise(memory, size, MADV_WIPEONFORK) == 0 else {
            unsafe munmap(memory, size)
            unsafe page = nil
            return
        }
        let mark = unsafe memory.bindMemory(to: Bool.self, capacity: 1)
        unsafe mark.pointee = true
        unsafe page = UnsafePointer(mark)
    }

    /// Whether this process made the mark, rather than inherited it.
    var isOwn: Bool {
        guard let page = unsafe page else { return process == getpid() }
        return unsafe page.pointee
    }
}

/// Puts the library together: real readers, the store of pairings and the policies that are configured, the operating
/// system's random numbers.
enum Composition {
    /// - Parameter mutex: The application's lock for each call.
    /// - Throws: `CKR_HOST_MEMORY` if the descriptors for reading the configuration are exhausted.
    static func library(_ mutex: ApplicationMutex?) throws(CKError) -> Library {
        Reason.isWanted = ProviderLog.isActive
        let log = ProviderLog.logger
        let directories = UserDirectories(log: log)
        let configuration = try configuration(directories)
        let settings = TokenSettings(configuration, of: directories, log: log)
        var interaction = UserInteraction(
            configuration.authenticator, asksForActivation: configuration.asksForActivation,
            consent: configuration.consent)
        interaction.call = ApplicationHold(mutex: mutex)
        let service = PCSCReaders(patience: settings.policy.patience) { refusal in
            let reason = Reason(refusal)
            if [.redirected, .rootChanged].contains(refusal), let id = reason.id {
                log.securityEvent(id, "there are no readers: \(reason)")
            } else {
                log.identified(.warning, reason.id, "there are no readers: \(reason)")
            }
        }
        let folders = configuration.containerFolders(home: directories.found().home)
        let readers: any ReaderService =
            folders.isEmpty ? service : FolderReaders(folders, besides: service, refused: settings.toldOfFolder)
        let usedReaders: any ReaderService = ProviderLog.isActive ? LoggedReaders(readers, log: log) : readers
        return Library(readers: usedReaders, settings: settings, interaction: interaction)
    }

    /// This program's configuration. Errors in the files are logged.
    private static func configuration(_ directories: UserDirectories) throws(CKError) -> Configuration {
        do throws(StorageError) {
            let configuration = try Configuration(of: directories)
            Process.current.administratorLog.turn(on: configuration.reportsToSyslog)
            configuration.report(to: ProviderLog.logger)
            return configuration
        } catch {
            // Nothing else is thrown.
            throw .hostMemory
        }
    }
}
