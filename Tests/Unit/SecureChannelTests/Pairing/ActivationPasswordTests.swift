// SPDX-License-Identifier: Apache-2.0
import Secrets
import SecureChannel
import TestSupport
import Testing

@Suite("Activation passwords (GSC/1, 5)")
struct ActivationPasswordTests {
    private func canonical(_ bytes: [UInt8]) throws(ChannelError) -> (text: String, slot: Int) {
        let password = try ActivationPassword(bytes.span)
        let symbols = password.canonical.bytes.indices.map { password.canonical.bytes[$0] }
        return (String(decoding: symbols, as: UTF8.self), Int(password.slot))
    }

    @Test(
        "N5, N6: lower case, separators, full-width and Cyrillic look-alikes give the canonical form, all else nothing")
    func normalisation() throws {
        let vectors = try JSON(vectors: "gsc1.json").password_normalisation.list
        #expect(vectors.count == 17)
        for vector in vectors {
            let input = vector.input_utf8.bytes
            if let text = vector.canonical.text {
                let password = try canonical(input)
                #expect(password.text == text)
                #expect(password.slot == vector.slot.number)
            } else {
                #expect(throws: ChannelError.passwordInvalid, "\(vector.input.text ?? "")") { try canonical(input) }
            }
        }
    }

    @Test(
        "Every separator of section 5 is dropped",
        arguments: [
            " ", "-", "\u{A0}", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2015}", "\u{2212}",
            "\u{FF0D}",
        ])
    func separators(_ separator: String) throws {
        #expect(try canonical(Array("\(separator)ABCD\(separator)1234EFGH\(separator)".utf8)).text == "ABCD1234EFGH")
    }

    @Test("Cyrillic А В Е К М Н Р С Т Х stand for the Latin letters, in either case")
    func lookAlikes() throws {
        #expect(try canonical(Array("АВЕКМНРСТХ11".utf8)).text == "ABEKMHPCTX11")
        #expect(try canonical(Array("авекмнрстх11".utf8)).text == "ABEKMHPCTX11")
    }

    @Test(
        "What is not UTF-8 is no password",
        arguments: [
            "41424344313233344546474835363738 80", "c1 81 4243443132333445464748", "e2 80", "ed",
            "f5808080 4243443132333445464748", "41424344 00 31323334454647483536",
        ])
    func encoding(_ hex: String) {
        #expect(throws: ChannelError.passwordInvalid) { try canonical([UInt8](hex: hex)) }
    }

    @Test("12 to 32 symbols are a password")
    func lengths() throws {
        for count in 0...40 {
            let text = [UInt8](repeating: UInt8(ascii: "A"), count: count)
            if (12...32).contains(count) {
                #expect(try canonical(text).text.count == count)
            } else {
                #expect(throws: ChannelError.passwordInvalid) { try canonical(text) }
            }
        }
    }
}
