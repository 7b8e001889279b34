// SPDX-License-Identifier: Apache-2.0
import APDU
import Asking
import Configuration
import Locking
import PCSC
import Storage
import Translation

/// A token of this machine in a virtual reader of another one, which may be reached over an untrusted path.
///
/// The other machine runs pcscd with vsmartcard's vpcd; its port is usually brought here by `ssh -L`. A token that has
/// a secure channel is carried through, and the share can read nothing. For a token without one, the share is the
/// token's end of the channel: PIN and data are in clear only in this process and on the wire of the token. Programs of
/// this machine cannot use the token in the meantime.
public final class Share: Sendable {
    private let settings: Settings
    /// The directory of all shares of this user.
    private let directory: String
    private let authenticator: Authenticator?
    private let transport: (any Transport)?
    private let prompt: String
    private let worker = Worker()

    /// A share with these settings, of a token in one of pcscd's readers. It begins with ``run(_:)``.
    ///
    /// - Throws: ``KanalError/notStarted(_:)`` if the process has no file descriptors left to read the configuration by;
    ///   ``KanalError/invalidArgument(_:)`` for settings that cannot be; ``KanalError/authenticatorNotConfigured`` if the
    ///   user is to be asked and `kanal.conf` does not say how.
    public convenience init(_ settings: Settings) throws(KanalError) { try self.init(settings, transport: nil, "") }

    /// A share of a token that an application's own transport reaches, for instance in the field of a telephone.
    ///
    /// The transport's cards implement ``CardHandle/reset()``. A field is open for the whole share, which ends with it:
    /// ``KanalError/fieldEnded``. In a field the token is waited for, and others are let go.
    ///
    /// - Parameter prompt: The text that the transport shows when it opens the field.
    /// - Throws: As ``init(_:)``.
    public convenience init(
        _ settings: Settings, over transport: any Transport, prompt: String = ""
    ) throws(KanalError) {
        try self.init(settings, transport: transport, prompt)
    }

    private init(_ settings: Settings, transport: (any Transport)?, _ prompt: String) throws(KanalError) {
        (self.transport, self.prompt) = (transport, prompt)
        let directories = UserDirectories(warn: { _ in })
        let configuration: Configuration
        do throws(StorageError) { configuration = try Configuration(of: directories) } catch {
            // Nothing else is thrown.
            throw .notStarted(.noDescriptors)
        }
        guard let data = settings.directory ?? directories.found().data.map({ $0 + "/kanal/shares" }) else {
            throw .invalidArgument("this user has no home directory: name a directory for the share")
        }
        if settings.confirmation != .never, configuration.authenticator?.asksUser != true {
            throw .authenticatorNotConfigured
        }
        try settings.check()
        authenticator = configuration.authenticator
        (self.settings, directory) = (settings, data)
    }

    /// Shares the token until the task is cancelled, or the share has served its purpose. A command is never
    /// interrupted, and the token is reset at the end: it is logged out.
    ///
    /// - Parameter report: Receives events, in a thread of the share. It should not take long.
    /// - Throws: ``KanalError/cancelled``, ``KanalError/fieldEnded``, ``KanalError/notFound``, ``KanalError/ambiguous(_:)``,
    ///   ``KanalError/notStarted(_:)``, and ``KanalError/refused(code:reason:)`` if another program uses the token, the token
    ///   has the channel and is to be limited, the far reader was not reached within ``Settings/patience``, the share's
    ///   directory cannot be used, or the transport cannot reset its cards.
    public func run(_ report: @escaping @Sendable (Event) -> Void) async throws(KanalError) {
        let field = Field(transport.map { [$0] } ?? [])
        let own = transport.map { TransportReaders($0, field) }
        let readers: any OwnedCardService = if let own { own } else { PCSCReaders() }
        let share = TokenShare(
            settings, directory: directory, readers: readers, isOver: { field.isOver },
            ask: { [authenticator] in Self.ask($0, authenticator) }, report: report)
        try await working(on: worker, cancellation: .asks { share.cancel() }) { [prompt] () throws(KanalError) in
            try field.enter(prompt)
            do throws(KanalError) {
                try Self.run(share, own, field)
                field.leave(.success)
            } catch {
                field.leave(.failure(error.description))
                throw error
            }
        }
    }

    private static func run(
        _ share: TokenShare, _ own: TransportReaders?, _ field: Field
    ) throws(KanalError) {
        do throws(ShareError) { try share.run() } catch {
            if field.isOver { throw .fieldEnded }
            guard let own, case .readers(.noService) = error else { throw KanalError(error) }
            guard own.lacksReset.withLock({ $0 }) else { throw .notStarted(.transportOff) }
            throw .refused(
                code: "CKR_FUNCTION_NOT_SUPPORTED", reason: "the transport cannot reset cards, as a share has to")
        }
        if share.wasCancelled { throw .cancelled }
        if field.isOver { throw .fieldEnded }
    }

    /// Runs the far end of a tunnel, on the machine of the far reader: passes messages between the reader and the
    /// share, and answers the reader's frequent questions itself, so that no command waits for them. It goes on until
    /// one of both is gone, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - host: vpcd's address in dotted IPv4 form.
    ///   - port: vpcd's port.
    ///   - input: The descriptor from which the share's answers are read.
    ///   - output: The descriptor to which the reader's commands are written.
    /// - Throws: ``KanalError/refused(code:reason:)`` if the reader is not reached; ``KanalError/invalidArgument(_:)``.
    public static func remoteEnd(
        host: String = "127.0.0.1", port: UInt16 = 35963, input: Int32 = 0, output: Int32 = 1
    ) async throws(KanalError) {
        let end = RemoteEnd(host: host, port: port)
        let presence = ServicePresence()
        try await working(on: Worker(), cancellation: .asks { end.cancel() }) { () throws(KanalError) in
            // The far reader goes with pcscd, which would end while nothing else on its machine uses it.
            let isServed = presence.keep()
            defer { withExtendedLifetime(presence) {} }
            // A service that has only just been started does not listen for the reader yet.
            let patience: Duration = isServed ? .seconds(5) : .zero
            do throws(ShareError) { try end.run(input: input, output: output, patience: patience) } catch {
                throw KanalError(error)
            }
        }
    }

    /// Asks the user of this machine. A user who cannot be asked has not agreed.
    private static func ask(_ question: ShareQuestion, _ authenticator: Authenticator?) -> Bool {
        guard let authenticator else { return false }
        let shown = Question(
            title: "kanal share",
            text: translated(
                """
                \(question.host) asks for: \(question.subject.words)
                Token: \(question.serial)
                The command came through the share of this machine. Allow it?
                """),
            button: "Allow")
        do throws(AskingError) {
            try authenticator.confirm(shown)
            return true
        } catch {
            return false
        }
    }
}
