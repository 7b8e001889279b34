// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Key containers")
struct ContainerTests {

    @Test("The vectors are there")
    func count() {
        #expect(ContainerVectors.good.count == 23)
        #expect(ContainerVectors.refused.count == 22)
    }

    @Test(
        "A container gives its name, its keys as the header has them, and the private numbers",
        arguments: ContainerVectors.good.keys.sorted())
    func opened(_ name: String) throws {
        let vector = try #require(ContainerVectors.good[name])
        let files = ContainerFiles(vector)
        #expect(try ContainerName(file: files[.name].span).text == vector.name.text)
        let header = try files.header()
        #expect(header.needsPassword == (vector.password.text != ""))
        #expect(header.keys.count == vector.keys.list.count)
        for (key, expected) in zip(header.keys, vector.keys.list) {
            #expect((key.role == .exchange ? "exchange" : "signature") == expected.role.text)
            #expect(key.isExportable == (expected.exportable.number == 1))
            #expect(key.curve.oid == derObjectIdentifier(expected.curve.text ?? ""))
            #expect(key.certificate ?? [] == expected.certificate.bytes)
            let opened = try files.open(key.index, password: vector.password.text ?? "")
            #expect([UInt8](copying: opened.scalar) == expected.d.bytes.reversed())
            #expect(try opened.publicKey().bytes == expected.Q.bytes)
        }
    }

    @Test(
        "A container that is not what it has to be is refused for its reason",
        arguments: ContainerVectors.refused.keys.sorted())
    func refused(_ name: String) throws {
        let vector = try #require(ContainerVectors.refused[name])
        do throws(ContainerError) {
            _ = try ContainerFiles(vector).open(.first, password: vector.password.text ?? "")
            Issue.record("opened")
        } catch {
            #expect(error.reason == vector.reason.text)
        }
    }
}
