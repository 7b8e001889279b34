// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Foundation
import Locking
import Logging
import SecureChannel
import Secrets
import Testing
import Token

@Suite("The configuration file of the process's libcrypto")
struct LibcryptoConfigurationTests {
    @Test("it was read before a slot's lock is taken, for it may name an engine that calls this library")
    func order() async {
        await #expect(processExitsWith: .success) {
            let folder = Folder()
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
            let file = folder.path + "/openssl.cnf"
            #expect(unsafe mkfifo(file, 0o600) == 0)
            unsafe setenv("OPENSSL_CONF", file, 1)
            // Opening a pipe for writing blocks until it has a reader.
            let wasRead = Lock(false)
            Thread.detachNewThread {
                let pipe = unsafe open(file, O_WRONLY)
                wasRead.withLock { $0 = true }
                close(pipe)
            }
            let reader = AskedReader(wasRead)
            let settings = TokenSettings(
                pairings: .directory(folder.path), hostLabel: "test", random: SystemRandom(),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let library = Library(readers: reader, settings: settings)
            #expect(try library.slots(tokenPresent: false, isQuery: false).count == 1)
            #expect(!wasRead.withLock { $0 })
            #expect(throws: CKError.tokenNotPresent) { try library.openSession(with: 0, flags: CKF_SERIAL_SESSION) }
            #expect(reader.wasConnected.withLock { $0 })
        }
    }
}

/// A reader that looks, when it is asked for its card, whether the configuration was read.
private final class AskedReader: ReaderService {
    let wasConnected = Lock(false)
    private let wasRead: Lock<Bool>

    init(_ wasRead: Lock<Bool>) { self.wasRead = wasRead }

    func readers() -> [ReaderState] { [ReaderState(name: "reader", atr: [0x3B], events: 0)] }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        wasConnected.withLock { $0 = true }
        #expect(wasRead.withLock { $0 })
        throw .noCard
    }
}
