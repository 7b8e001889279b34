// SPDX-License-Identifier: Apache-2.0
import APDU
import Token

/// The state of a slot, known without a command to the token.
package struct SlotState: Sendable {
    /// The PC/SC name of the reader.
    package var reader: String
    /// Whether there is a card in it, of whatever kind.
    package var isOccupied: Bool
    /// Whether there is a token in it that this library drives.
    package var hasToken: Bool
    /// Whether it is a folder with a key container.
    package var isFolder: Bool

    init(_ state: ReaderState) {
        reader = state.name
        isOccupied = state.atr != nil
        hasToken = state.atr.map { TokenModel(atr: $0) != nil } ?? false
        isFolder = state.atr == ReaderState.folder
    }
}
