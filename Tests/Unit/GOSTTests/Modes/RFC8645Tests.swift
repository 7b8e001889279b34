// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("RFC 8645, A.2, with AES-256")
struct RFC8645Tests {
    @Test("Section keys, key material and results are the published ones")
    func examples() throws {
        let vectors = try JSON(vectors: "acpkm_rfc8645_aes.json").vectors.list
        #expect(vectors.count == 5)
        for vector in vectors {
            switch vector.alg.text {
            case "CTR-ACPKM": try counter(vector)
            case "OMAC-ACPKM-Master": try code(vector)
            default: try sections(vector)
            }
        }
    }

    private func counter(_ vector: JSON) throws {
        let (key, iv) = (vector.key.bytes, vector.icn.bytes)
        var mode = try CTRACPKM<AES256>(key: key.span, iv: iv.span, section: section(vector))
        #expect(mode.update(vector.pt.bytes.span).array == vector.ct.bytes)
        let keys = vector.section_keys.list.map(\.bytes)
        for (key, next) in zip(keys, keys.dropFirst()) {
            #expect(try AES256(key: key.span).nextKey().array == next)
        }
    }

    private func code(_ vector: JSON) throws {
        let key = vector.key.bytes
        var code = try OMACACPKM<AES256>(
            key: key.span, section: section(vector), masterSection: masterSection(vector))
        code.update(vector.msg.bytes.span)
        #expect(code.finalize().array == vector.mac.bytes)
        var master = try ACPKMMaster<AES256>(key: key.span, section: masterSection(vector))
        #expect(master.next(vector.key_material.bytes.count).array == vector.key_material.bytes)
    }

    /// The other modes, which are not in the library: section by section, each with its key from ACPKM-Master.
    private func sections(_ vector: JSON) throws {
        let key = vector.key.bytes
        var master = try ACPKMMaster<AES256>(key: key.span, section: masterSection(vector))
        var (material, result) = ([UInt8](), [UInt8]())
        // Half of the example's ICN begins the counter, as in CTR-ACPKM.
        var iv = vector.icn.isNull ? vector.iv.bytes : vector.icn.bytes.prefix(8) + [UInt8](repeating: 0, count: 8)
        let (message, length) = (vector.pt.bytes, section(vector))
        for start in stride(from: 0, to: message.count, by: length) {
            let key = master.next(32).array
            let part = Array(message[start..<min(start + length, message.count)])
            switch vector.alg.text {
            case "CTR-ACPKM-Master": result += try added(part, key, &iv)
            case "CBC-ACPKM-Master":
                var mode = try CBC<AES256>(key: key.span, iv: iv.span)
                result += try mode.encrypt(part.span).array
                iv = result.suffix(16)
            default:
                var mode = try CFB<AES256>(key: key.span, iv: iv.span)
                result += mode.encrypt(part.span).array
                iv = result.suffix(16)
            }
            material += key
        }
        #expect(result == vector.ct.bytes, "\(vector.name)")
        if !vector.key_material.isNull { #expect(material == vector.key_material.bytes, "\(vector.name)") }
    }

    /// The sum of `part` and the enciphered counters from `counter` on.
    private func added(_ part: [UInt8], _ key: [UInt8], _ counter: inout [UInt8]) throws -> [UInt8] {
        var counters: [UInt8] = []
        while counters.count < part.count {
            counters += counter
            for index in counter.indices.reversed() {
                counter[index] &+= 1
                if counter[index] != 0 { break }
            }
        }
        return zip(part, try AES256(key: key.span).encryptECB(counters.span).array).map { $0 ^ $1 }
    }

    private func section(_ vector: JSON) -> Int { (vector.section_bits.number ?? 0) / 8 }
    private func masterSection(_ vector: JSON) -> Int { (vector.T_bits.number ?? 0) / 8 }
}
