// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel

/// E1 ‖ E2 of discovery: refused with a typed error, or taken with all values in their ranges, the bytes of E1 kept as
/// they came.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCapabilities(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let capabilities = try? Capabilities(parsing: input) { check(capabilities, input) }
    let card = Card(Response(.success, data: input))
    if case .present(let capabilities, let hints) = try? Discovery.run(over: card) {
        check(capabilities, Array(input.prefix(capabilities.bytes.count)))
        guard hints.slots.count == capabilities.slots else { fatalError("states of other slots") }
    }
    return 0
}

private func check(_ capabilities: Capabilities, _ bytes: [UInt8]) {
    guard capabilities.bytes == bytes, capabilities.serial.count == 8, capabilities.maxCommand >= 128,
        capabilities.maxReply >= 128, (1...4).contains(capabilities.sessions), (1...6).contains(capabilities.slots),
        capabilities.maxRecords >= 1
    else { fatalError("capabilities that section 4 does not allow") }
    for minimum in Profile.allCases {
        guard let profile = try? capabilities.profile(minimum: minimum, pinned: nil) else { continue }
        guard profile >= minimum, capabilities.profiles.contains(profile) else { fatalError("another profile") }
    }
}

/// Answers every command with the same.
private final class Card: CardConnection {
    private let response: Response
    init(_ response: Response) { self.response = response }
    func transmit(_ command: borrowing Command) throws(LinkError) -> Response { response }
}
