// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import Locking
import Logging
import SecureChannel
import Secrets
import Testing
import Token
import Tokens

@Suite("The configuration file of the process's libcrypto")
struct LibcryptoConfigurationTests {
    @Test("it was read before a slot's lock is taken, for it may name an engine that calls this library")
    func order() async {
        await #expect(processExitsWith: .success) {
            let folder = Folder()
            let wasRead = try watchedFile(in: folder)
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

    @Test("a call that only asks a token about itself has libcrypto neither loaded nor read it")
    func information() async {
        await #expect(processExitsWith: .success) {
            let folder = Folder()
            let wasRead = try watchedFile(in: folder)
            let reader = try EmulatedReader(.usb)
            // A folder of pairings that the test had made would have other rights.
            let application = Application(reader, store: Folder())
            #expect(try application.library.token(in: 0, evicting: false).info.isFormatted == true)
            _ = try application.library.channelInfo(in: 0)
            #expect(reader.commands > 0)
            #expect(!wasRead.withLock { $0 })
            _ = try application.open()
            #expect(wasRead.withLock { $0 })
        }
    }
}

/// Makes a pipe of the process's configuration file of libcrypto.
///
/// - Returns: Whether the file was read.
private func watchedFile(in folder: Folder) throws -> Lock<Bool> {
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
    return wasRead
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
