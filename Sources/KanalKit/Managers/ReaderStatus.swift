// SPDX-License-Identifier: Apache-2.0
import APDU
import Token
import Tokens

/// A reader, for a list that people choose from.
public struct ReaderStatus: Sendable, Equatable {
    /// The state of a reader and its card.
    public struct Flags: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// There is a card in it.
        public static let present = Flags(rawValue: 1)
        /// It reaches its card over the air.
        public static let wireless = Flags(rawValue: 2)
        /// The token has a secure channel.
        public static let channelOffered = Flags(rawValue: 4)
        /// The token's secure channel is activated for this user.
        public static let channelActive = Flags(rawValue: 8)
        /// The user's PIN has no tries left.
        public static let pinLocked = Flags(rawValue: 16)
        /// The user's PIN has one try left.
        public static let pinLastTry = Flags(rawValue: 32)
        /// The user's PIN still is the factory PIN.
        public static let pinFactory = Flags(rawValue: 64)
    }

    /// A short form of the name: without maker and numbers, but for a number that distinguishes it from readers of the
    /// same form.
    public let nickname: String
    /// The reader's name.
    public let name: String
    /// The token in it: `rutoken_ecp_` and the serial number in hexadecimal digits. Nil without a token, and before
    /// its channel is activated; the vendor's lists show `NO_MEDIA` then.
    public let media: String?
    /// The state of the reader and its card.
    public let flags: Flags
    /// The token in it; nil without one.
    public let information: TokenInformation?
}

extension TokenManager {
    /// All readers and their cards, in their order. A manager of wireless readers alone lists those that are known as
    /// such: by their names, by `wireless_readers` of `kanal.conf`, or by the token in them.
    ///
    /// - Throws: ``KanalError/notStarted(_:)`` if the readers cannot be listed.
    public func readers() async throws(KanalError) -> [ReaderStatus] {
        let (tokens, states) = try await looking { manager throws(KanalError) in
            let tokens = try manager.refresh(waits: true).map(\.information)
            let service = manager.service
            do throws(LinkError) {
                let states = try service.readers.recentReaders()
                if states.isEmpty, let obstacle = service.readers.obstacle { throw obstacle }
                return (tokens, states)
            } catch {
                throw .notStarted(service.field.isOnlyWay ? .transportOff : KanalError.Obstacle(error) ?? .noService)
            }
        }
        var nicknames: [String] = []
        return states.compactMap { state in
            let token = tokens.first { $0.reader == state.name && state.atr != nil }
            let flags = flags(of: state, with: token)
            guard service.readers.lists(state.name, isWireless: flags.contains(.wireless)) else { return nil }
            let nickname = ReaderReport.nickname(of: state.name, besides: nicknames)
            nicknames.append(nickname)
            return ReaderStatus(
                nickname: nickname, name: state.name,
                media: token.flatMap {
                    $0.isActivated ? ReaderReport.media($0.serialNumber, isFolder: $0.isFolder) : nil
                }, flags: flags, information: token)
        }
    }

    private func flags(of state: ReaderState, with token: TokenInformation?) -> ReaderStatus.Flags {
        var flags: ReaderStatus.Flags = []
        if state.atr != nil { flags.insert(.present) }
        if token?.isWireless ?? service.settings.policy.isWireless(state.name) { flags.insert(.wireless) }
        guard let token else { return flags }
        if token.hasSecureChannel { flags.insert(.channelOffered) }
        if token.hasSecureChannel, token.isActivated { flags.insert(.channelActive) }
        for notice in token.notices {
            switch notice {
            case .pinLocked: flags.insert(.pinLocked)
            case .pinLastTry: flags.insert(.pinLastTry)
            case .pinFactory: flags.insert(.pinFactory)
            default: break
            }
        }
        return flags
    }
}
