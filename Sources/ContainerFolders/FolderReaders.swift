// SPDX-License-Identifier: Apache-2.0
package import APDU
import Locking
package import Storage

/// The readers of another service, and behind them a reader for each container in folders that the user names. Nothing is
/// searched for elsewhere.
package final class FolderReaders: ReaderService {
    private let others: (any ReaderService)?
    private let folders: [String]
    private let refused: @Sendable (_ folder: String, StorageError) -> Void
    private let state = Lock(State())

    fileprivate struct State {
        /// The containers that were seen, by the names of their readers.
        var seen: [String: Place] = [:]
        /// Why folders are not used, as it was told.
        var refusals: [String: StorageError] = [:]
    }

    fileprivate struct Place {
        let folder: String
        /// How often it came or went.
        var events = 0
        var isThere = true
    }

    /// - Parameters:
    ///   - folders: Containers, or folders with containers.
    ///   - others: The service that counts besides; nil for none.
    ///   - refused: Is told which folder is not used, and why: once, until it can be used.
    package init(
        _ folders: [String], besides others: (any ReaderService)?,
        refused: @escaping @Sendable (_ folder: String, StorageError) -> Void
    ) {
        (self.folders, self.others, self.refused) = (folders, others, refused)
    }

    package var obstacle: LinkError? { others?.obstacle }
    package var field: (any CardField)? { others?.field }
    package var isNew: Bool { others?.isNew ?? false }
    package func watch() -> (any ReaderWatch)? { others?.watch() }

    package func readers() throws(LinkError) -> [ReaderState] {
        try list { others throws(LinkError) in try others.readers() }
    }

    package func recentReaders() throws(LinkError) -> [ReaderState] {
        try list { others throws(LinkError) in try others.recentReaders() }
    }

    /// Containers are there without the other service, too.
    private func list(
        _ body: (any ReaderService) throws(LinkError) -> [ReaderState]
    ) throws(LinkError) -> [ReaderState] {
        let containers = containers()
        guard let others else { return containers }
        do throws(LinkError) { return try body(others) + containers } catch {
            guard containers.isEmpty else { return containers }
            throw error
        }
    }

    private func containers() -> [ReaderState] {
        var refusals: [String: StorageError] = [:]
        var found: [String] = []
        for folder in folders.flatMap({ ContainerFolder.find($0) { refusals[$0] = $1 } }) where !found.contains(folder)
        {
            found.append(folder)
        }
        let (states, news) = state.withLock { state in
            let news = refusals.filter { state.refusals[$0.key] != $0.value }
            state.refusals = refusals
            return (state.update(found), news)
        }
        for (folder, error) in news.sorted(by: { $0.key < $1.key }) { refused(folder, error) }
        return states
    }

    package func connect(to reader: String) throws(LinkError) -> any CardLink {
        if let folder = state.withLock({ $0.seen[reader]?.folder }) {
            return FolderCard(folder) { [refused] error in refused(folder, error) }
        }
        guard let others else { throw .noCard }
        return try others.connect(to: reader)
    }
}

extension FolderReaders.State {
    /// Notes the containers that are there.
    fileprivate mutating func update(_ found: [String]) -> [ReaderState] {
        for (name, place) in seen where place.isThere != found.contains(place.folder) {
            seen[name]?.isThere.toggle()
            seen[name]?.events += 1
        }
        return found.map { folder in
            let name = name(of: folder)
            let events = seen[name]?.events ?? 0
            return ReaderState(name: name, atr: ReaderState.folder, events: events)
        }
    }

    /// The name of a folder's reader, which stays the same. Characters that a terminal would obey are replaced in it.
    private mutating func name(of folder: String) -> String {
        let shown = String(String.UnicodeScalarView(folder.unicodeScalars.map { $0.isHarmless ? $0 : "\u{FFFD}" }))
        var (name, number) = ("Folder \(shown)", 2)
        while let other = seen[name], other.folder != folder {
            name = "Folder \(shown) \(number)"
            number += 1
        }
        if seen[name] == nil { seen[name] = FolderReaders.Place(folder: folder) }
        return name
    }
}

extension Unicode.Scalar {
    fileprivate var isHarmless: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}
