// SPDX-License-Identifier: Apache-2.0
package import VirtualReaders

extension VirtualReader {
    /// The interval at which a card is checked while the reader does not ask for it, in milliseconds.
    private static let turn = 1000

    /// Lets the reader use the card until it is taken out, or the connection ends, which is an error.
    ///
    /// - Parameters:
    ///   - isPresent: Whether the card is still in the reader. When it is not, no more is answered.
    ///   - trace: Receives each command APDU and its response APDU, as transmitted, before the response is sent.
    package mutating func serve(
        _ card: EmulatedCard, while isPresent: () -> Bool = { true },
        trace: (_ command: [UInt8], _ response: [UInt8]) -> Void = { _, _ in }
    ) throws(VirtualReaderError) {
        while isPresent() {
            guard let frame = try frame(within: Self.turn), isPresent() else { continue }
            switch frame {
            case []: throw .closed
            case [0x00]: card.powerOff()
            case [0x01]: card.powerOn()
            case [0x02]: card.reset()
            case [0x04]: try send(card.identity.atr)
            default:
                guard frame.count > 1 else { continue }
                let response = card.process(frame)
                trace(frame, response)
                if isPresent() { try send(response) }
            }
        }
    }
}
