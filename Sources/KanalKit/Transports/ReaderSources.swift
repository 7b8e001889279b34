// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import Token

/// The readers of pcscd in which a manager looks for tokens.
public struct ReaderKinds: OptionSet, Sendable {
    public let rawValue: UInt8

    /// Kinds by their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Readers that reach their cards by contacts, and tokens that are readers of their own on USB.
    public static let wired = ReaderKinds(rawValue: 1)
    /// Readers that reach their cards over the air: by NFC or Bluetooth. The reader's name, `wireless_readers` of
    /// `kanal.conf`, the card's answer to reset and the reader's report on a card identify them.
    public static let wireless = ReaderKinds(rawValue: 2)

    /// All readers of pcscd.
    public static let all: ReaderKinds = [.wired, .wireless]
}

/// Readers of pcscd of some kinds. Nothing is sent to a card in another one.
final class ChosenReaders: ReaderService {
    private let service: any ReaderService
    private let kinds: ReaderKinds
    private let policy: TokenPolicy

    init(_ readers: any ReaderService, _ kinds: ReaderKinds, _ policy: TokenPolicy) {
        (service, self.kinds, self.policy) = (readers, kinds, policy)
    }

    var obstacle: LinkError? { service.obstacle }
    var field: (any CardField)? { service.field }
    var isNew: Bool { service.isNew }

    func readers() throws(LinkError) -> [ReaderState] { try service.readers().filter(isChosen) }
    func recentReaders() throws(LinkError) -> [ReaderState] { try service.recentReaders().filter(isChosen) }
    func watch() -> (any ReaderWatch)? { service.watch() }

    /// Whether a reader can be of a kind that is wanted. A reader of unknown kind is checked when its card is connected
    /// to.
    private func isChosen(_ state: ReaderState) -> Bool {
        kinds.contains(.wireless) || !policy.isWireless(state.name, answer: state.atr ?? [])
    }

    /// Whether a reader that is known as well as can be is of a kind that is wanted.
    fileprivate func lists(isWireless: Bool) -> Bool { kinds.contains(isWireless ? .wireless : .wired) }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        let (kinds, policy) = (kinds, policy)
        return ChosenLink(try service.connect(to: reader)) { link in
            let isWireless = link.isContactless || policy.isWireless(reader, answer: link.atr)
            return kinds.contains(isWireless ? .wireless : .wired)
        }
    }
}

/// A connection to a card, which counts as absent if its reader reports that it is of another kind.
private final class ChosenLink: CardLink {
    private let link: any CardLink
    private let isChosen: (any CardLink) -> Bool
    private var isChecked = false

    init(_ link: any CardLink, where isChosen: @escaping (any CardLink) -> Bool) {
        (self.link, self.isChosen) = (link, isChosen)
    }

    var atr: [UInt8] { link.atr }
    var isContactless: Bool { link.isContactless }
    var insertions: Int? { link.insertions }
    var noticesLoss: Bool { link.noticesLoss }
    var maximumLength: Int { link.maximumLength }

    /// The report of a reader that another program works with is waited for.
    func beginTransaction() throws(LinkError) -> Bool {
        let wasReset = try link.beginTransaction()
        guard !isChecked else { return wasReset }
        guard isChosen(link) else {
            link.endTransaction()
            throw .noCard
        }
        isChecked = true
        return wasReset
    }

    func endTransaction() { link.endTransaction() }
    func disconnect() { link.disconnect() }
    func transmit(_ command: borrowing Command) throws(LinkError) -> Response { try link.transmit(command) }

    func transmitSecret(_ command: borrowing Command) throws(LinkError) -> SecretResponse {
        try link.transmitSecret(command)
    }
}

/// Several services of readers as one. Readers of equal names get numbers.
final class ReaderSources: ReaderService {
    private struct Origin: Hashable {
        let source: Int
        let name: String
    }

    private let sources: [any ReaderService]
    /// The reader behind each name that was given out. It stays the same.
    private let names = Lock<[String: Origin]>([:])

    init(_ sources: [any ReaderService]) { self.sources = sources }

    /// The first one's, if none serves this process.
    var obstacle: LinkError? {
        let obstacles = sources.map { $0.obstacle }
        return obstacles.contains { $0 == nil } ? nil : obstacles.first ?? nil
    }

    var field: (any CardField)? { sources.lazy.compactMap { $0.field }.first }
    var isNew: Bool { sources.contains { $0.isNew } }

    func readers() throws(LinkError) -> [ReaderState] {
        try list { source throws(LinkError) in try source.readers() }
    }

    func recentReaders() throws(LinkError) -> [ReaderState] {
        try list { source throws(LinkError) in try source.recentReaders() }
    }

    /// A service that fails has no readers, as long as another one does not.
    private func list(
        _ body: (any ReaderService) throws(LinkError) -> [ReaderState]
    ) throws(LinkError) -> [ReaderState] {
        var states: [ReaderState] = []
        var failure: LinkError?
        var works = false
        for (number, source) in sources.enumerated() {
            do throws(LinkError) {
                for var state in try body(source) {
                    state.name = name(of: Origin(source: number, name: state.name))
                    states.append(state)
                }
                works = true
            } catch {
                failure = failure ?? error
            }
        }
        if let failure, !works { throw failure }
        return states
    }

    private func name(of origin: Origin) -> String {
        names.withLock { names in
            var name = origin.name
            var number = 2
            while let other = names[name], other != origin {
                name = "\(origin.name) \(number)"
                number += 1
            }
            names[name] = origin
            return name
        }
    }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        guard let origin = names.withLock({ $0[reader] }) else { throw .noCard }
        return try sources[origin.source].connect(to: origin.name)
    }

    fileprivate func lists(_ reader: String, isWireless: Bool) -> Bool {
        guard let origin = names.withLock({ $0[reader] }) else { return true }
        return sources[origin.source].lists(origin.name, isWireless: isWireless)
    }

    /// Whether there is a card in a reader that needs no field for it.
    func hasCardWithoutField(in reader: String) -> Bool {
        guard let origin = names.withLock({ $0[reader] }), !(sources[origin.source] is TransportReaders) else {
            return false
        }
        let states = (try? sources[origin.source].recentReaders()) ?? []
        return states.contains { $0.name == origin.name && $0.atr != nil }
    }
}

extension ReaderService {
    /// Whether a list for people has a reader: not if the manager does without readers of this kind.
    func lists(_ reader: String, isWireless: Bool) -> Bool {
        if let sources = self as? ReaderSources { return sources.lists(reader, isWireless: isWireless) }
        return (self as? ChosenReaders)?.lists(isWireless: isWireless) ?? true
    }
}
