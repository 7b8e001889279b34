// SPDX-License-Identifier: Apache-2.0
import Containers
import Foundation
import GOST
import Secrets
import TestSupport
import Testing

private let file = ProcessInfo.processInfo.environment["KANAL_TEST_CONTAINERS"]

@Suite("Containers of CryptoPro CSP, which are not in the tree")
struct RealContainerTests {
    @Test(
        "Each gives its keys, by both pairs",
        .enabled(
            if: file != nil, "KANAL_TEST_CONTAINERS names no file of containers as in Tests/Vectors/containers.json"))
    func opened() throws {
        let vectors = try JSON(file: URL(filePath: #require(file))).containers.list
        #expect(!vectors.isEmpty)
        for vector in vectors {
            let files = ContainerFiles(vector)
            try files.requireKeys(of: vector)
            let header = try files.header()
            for (key, expected) in zip(header.keys, vector.keys.list) where header.hasReserve {
                let opened = try files.open(header, key.index, vector.password.text ?? "", .reserve)
                #expect(try opened.publicKey().bytes == expected.Q.bytes)
                #expect(key.period?.end == expected.expires.text)
            }
            print("\(vector.id.text ?? ""): \(header.keys.count) opened")
        }
    }
}
