// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking
import Translation

/// Finding the token that is shared.
extension ShareWork {
    /// The only token, or the one that the settings name.
    func findFirst() throws(ShareError) -> LocalToken {
        var found: [LocalToken] = []
        var failure: ShareError?
        for reader in try occupiedReaders() {
            do throws(ShareError) {
                guard let token = try own(reader) else { continue }
                found.append(token)
            } catch {
                failure = failure ?? error
            }
        }
        let wanted = found.filter { token in settings.token.map { token.isCalled($0) } ?? true }
        for token in found where wanted.count != 1 || token.reader != wanted[0].reader { token.card.giveBack() }
        guard let first = wanted.first else { throw failure ?? .noToken }
        guard wanted.count == 1 else { throw .several(wanted.map { Phrase("\($0.shownSerial) in \($0.reader)") }) }
        return first
    }

    /// Waits for the token, in any reader. Nil if the share ends first.
    func findAgain(_ token: LocalToken) throws(ShareError) -> LocalToken? {
        show(.waitingForToken)
        /// Readers with another card, and how often cards came to them: they are not asked again.
        var others: [ReaderState] = []
        repeat {
            let states = (try? readers.readers()) ?? []
            for state in states where state.atr != nil && !others.contains(state) {
                guard let candidate = try? own(state.name) else { continue }
                if candidate.serial == token.serial, candidate.way == token.way { return candidate }
                candidate.card.giveBack()
                others.append(state)
                if state.name == token.reader { show(.wrongToken) }
            }
            if !states.contains(where: { $0.name == token.reader && $0.atr != nil }) { show(.waitingForToken) }
            others.removeAll { other in !states.contains(other) }
            wait(Self.tick)
        } while mayGoOn
        return nil
    }

    private func occupiedReaders() throws(ShareError) -> [String] {
        do throws(LinkError) {
            var states = try readers.readers()
            while readers.isNew, !states.contains(where: { $0.atr != nil }), mayGoOn {
                wait(Self.tick)
                states = try readers.readers()
            }
            if states.isEmpty, let obstacle = readers.obstacle { throw obstacle }
            let named = states.filter { state in settings.token.map { state.name.contains($0) } ?? false }
            return (named.isEmpty ? states : named).filter { $0.atr != nil }.map(\.name)
        } catch {
            throw .readers(error)
        }
    }

    /// The token in a reader; nil if it has left in the meantime.
    private func own(_ reader: String) throws(ShareError) -> LocalToken? {
        let card: any OwnedCard
        do throws(LinkError) {
            card = try readers.own(reader)
        } catch {
            switch error {
            case .sharingViolation: throw .inUse(reader: reader)
            case .noCard, .removed, .mute: return nil
            default: throw .readers(error)
            }
        }
        do throws(ShareError) {
            return try LocalToken(card, reader: reader)
        } catch {
            card.giveBack()
            throw error
        }
    }
}
