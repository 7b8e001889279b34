// SPDX-License-Identifier: Apache-2.0

/// Readers whose cards a process can have for itself.
package protocol OwnedCardService: ReaderService {
    /// Connects to the card in the reader, which is reset first.
    ///
    /// - Throws: `LinkError/sharingViolation` while another process is connected to it.
    func own(_ reader: String) throws(LinkError) -> any OwnedCard
}
