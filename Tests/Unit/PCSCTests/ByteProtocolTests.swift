// SPDX-License-Identifier: Apache-2.0
import APDU
import PCSC
import Secrets
import TestSupport
import Testing

@Suite("T=0 at the reader (ISO/IEC 7816-3, 12.2)")
struct ByteProtocolTests {
    /// The bytes sent for a command, and its response. The card leaves before the command of an empty reply.
    private static func transmit(_ command: String, _ replies: String...) throws -> (sent: [String], Response) {
        var sent: [String] = []
        let command = try Command(parsing: [UInt8](hex: command).span)
        let response = try ByteProtocol.transmit(command) { (tpdu: borrowing Secret) throws(LinkError) in
            sent.append([UInt8](copying: tpdu).hex)
            guard sent.count <= replies.count else { throw .malformed }
            guard !replies[sent.count - 1].isEmpty else { throw .removed(sent: false) }
            guard let response = Response(parsing: [UInt8](hex: replies[sent.count - 1])) else { throw .malformed }
            return response
        }
        return (sent, response)
    }

    @Test("a command without data and answer has a third parameter of zero")
    func case1() throws {
        #expect(try Self.transmit("80400000", "9000").sent == ["8040000000"])
    }

    @Test("a reader that gives no byte may have lost its card; one byte is no response")
    func nothing() throws {
        #expect(throws: LinkError.transmission(code: 0x8010_0013)) { try ByteProtocol.response(in: []) }
        #expect(throws: LinkError.malformed) { try ByteProtocol.response(in: [0x90]) }
        #expect(try ByteProtocol.response(in: [1, 0x90, 0]).data == [1])
    }

    @Test("a command with data does not say what it expects, whose answer waits for GET RESPONSE")
    func case4() throws {
        let (sent, response) = try Self.transmit("00A4080402100000", "6118")
        #expect(sent == ["00a40804021000"])
        #expect(response.status.bytesAvailable == 0x18)
    }

    @Test("if there is less than was expected the command says how much there is")
    func wrongLength() throws {
        let (sent, response) = try Self.transmit("00B00000FF", "6C03", "0102039000")
        #expect(sent == ["00b00000ff", "00b0000003"])
        #expect(response.data == [1, 2, 3] && response.status == .success)
    }

    @Test("a command with data is never sent twice")
    func notRepeated() throws {
        #expect(try Self.transmit("00D6000001FF", "6C03").sent.count == 1)
    }

    @Test("a card that leaves before the command comes a second time may have executed it")
    func removal() {
        #expect(throws: LinkError.removed(sent: true)) { try Self.transmit("00B00000FF", "6C03", "") }
        #expect(throws: LinkError.removed(sent: false)) { try Self.transmit("00B00000FF", "") }
    }

    @Test("an error of the reader is one of the command")
    func failure() {
        #expect(throws: LinkError.malformed) { try Self.transmit("00B00000FF", "6C03") }
    }
}
