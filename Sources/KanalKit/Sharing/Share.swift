// SPDX-License-Identifier: Apache-2.0
import APDU
import Asking
import Configuration
import Locking
import PCSC
import Sharing
import Storage
import Translation

/// A token of this machine in a virtual reader of another one, which may be reached over an untrusted path.
///
/// The other machine runs pcscd with vsmartcard's vpcd; its port is usually brought here by `ssh -L`. A token that has
/// a secure channel is carried through, and the share can read nothing. For a token without one, the share is the
/// token's end of the channel: PIN and data are in clear only in this process and on the wire of the token. Programs of
/// this machine cannot use the token in the meantime.
public final class Share: Sendable {
    private let settings: ShareSettings
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
        authenticator = configuration.authenticator
        self.settings = try ShareSettings(settings, directory: data)
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
            settings, readers: readers, isOver: { field.isOver },
            ask: { [authenticator] in Self.ask($0, authenticator) }, report: { report(Event($0)) })
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

extension Share {
    /// The settings of a share: which token, with whom, and for how long.
    public struct Settings: Sendable {
        /// vpcd's address in dotted IPv4 form.
        public var host = "127.0.0.1"
        /// vpcd's port.
        public var port: UInt16 = 35963
        /// A command for `/bin/sh` that leads to vpcd by its standard input and output, in place of ``host`` and
        /// ``port``, such as `ssh -W 127.0.0.1:35963 server`. It is restarted when the connection breaks, and ended
        /// with the share.
        public var tunnel: String?
        /// The token's serial number, its label, or a part of its reader's name; nil for the only token.
        public var token: String?
        /// The directory of key pairs, verifiers of passwords and pairings of shares; nil for the user's data
        /// directory.
        public var directory: String?
        /// The rights of hosts. A token that has the channel cannot be limited: a share of it is refused.
        public var permissions: Permissions = .all
        /// The uses for which the user of this machine is asked first, by the authenticator of `kanal.conf`. Not for a
        /// token that has the channel.
        public var confirmation = Confirmation.never
        /// Whether a new activation password takes the place of the share's last one. Pairings stay.
        public var makesPassword = false
        /// Whether the share ends when a host has logged in, and for three seconds no session has been open: twenty, if the
        /// sessions were broken off by a reset or a lost connection.
        public var isOnce = false
        /// The duration of the share; nil for no end.
        public var duration: Duration?
        /// For how long the far reader is tried in a row; nil for no end.
        public var patience: Duration?

        /// The only token, at vpcd's own port on this machine, with all permissions and no end.
        public init() {}
    }

    /// The rights of hosts at a token for which the share is the end of the channel.
    public struct Permissions: OptionSet, Sendable {
        public let rawValue: UInt8

        /// Permissions by their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Read public objects and the token's information.
        public static let read = Permissions(rawValue: 1)
        /// Log in as User and use keys.
        public static let sign = Permissions(rawValue: 2)
        /// Log in as User and make, change and delete objects.
        public static let write = Permissions(rawValue: 4)
        /// Log in as the security officer, change PINs and format.
        public static let administer = Permissions(rawValue: 8)

        /// Everything that the token itself allows.
        public static let all: Permissions = [.read, .sign, .write, .administer]
    }

    /// The uses for which the user of this machine is asked.
    public enum Confirmation: String, Sendable, CaseIterable {
        /// Nothing.
        case never
        /// Each login.
        case login
        /// Each login, and each use of a private key.
        case signature
    }
}

extension ShareSettings {
    init(_ settings: Share.Settings, directory: String) throws(KanalError) {
        guard settings.permissions.isSubset(of: .all), !settings.permissions.isEmpty else {
            throw .invalidArgument("choose at least one permission; unknown permissions are refused")
        }
        guard settings.tunnel?.isEmpty != true else { throw .invalidArgument("the command of a tunnel is empty") }
        self.init(directory: directory)
        host = settings.host
        port = settings.port
        tunnel = settings.tunnel
        token = settings.token
        permissions = SharePermissions(rawValue: settings.permissions.rawValue)
        confirmation = ShareConfirmation(rawValue: settings.confirmation.rawValue) ?? .signature
        makesPassword = settings.makesPassword
        isOnce = settings.isOnce
        duration = settings.duration
        patience = settings.patience
    }
}
