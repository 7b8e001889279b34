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
        #expect(ContainerVectors.good.count == 24)
        #expect(ContainerVectors.refused.count == 22)
    }

    @Test(
        "A container gives its name, its keys as the header has them, and the private numbers",
        arguments: ContainerVectors.good.keys.sorted())
    func opened(_ name: String) throws {
        let vector = try #require(ContainerVectors.good[name])
        try ContainerFiles(vector).requireKeys(of: vector)
    }

    @Test("The reserve pair gives the same keys", arguments: ContainerVectors.good.keys.sorted())
    func reserve(_ name: String) throws {
        let vector = try #require(ContainerVectors.good[name])
        let files = ContainerFiles(vector)
        let header = try files.header()
        #expect(header.hasReserve == (vector.reserve.number == 1))
        for (key, expected) in zip(header.keys, vector.keys.list) where header.hasReserve {
            let opened = try files.open(header, key.index, vector.password.text ?? "", .reserve)
            #expect([UInt8](copying: opened.scalar) == expected.d.bytes.reversed())
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

    @Test("A signature of an opened key is valid for its certificate", arguments: ContainerVectors.good.keys.sorted())
    func signature(_ name: String) throws {
        let vector = try #require(ContainerVectors.good[name])
        let files = ContainerFiles(vector)
        for key in try files.header().keys {
            let opened = try files.open(key.index, password: vector.password.text ?? "")
            let digest = [UInt8](repeating: 5, count: key.curve.coordinateSize)
            let signature = try opened.sign(digest: digest.span, random: SystemRandom())
            #expect(try opened.publicKey().isValidSignature(signature, digest: digest))
        }
    }

    @Test(
        "OpenSSL's gost engine verifies it with the certificate", .usesGOSTEngine,
        arguments: ContainerVectors.good.keys.sorted())
    func engine(_ name: String) throws {
        let vector = try #require(ContainerVectors.good[name])
        let files = ContainerFiles(vector)
        for key in try files.header().keys {
            guard let certificate = key.certificate else { continue }
            let engine = try OpenSSL()
            let opened = try files.open(key.index, password: vector.password.text ?? "")
            let digest = try Seeded("container \(name)").bytes(key.curve.coordinateSize)
            try engine.write(digest, "digest")
            try engine.write(opened.sign(digest: digest.span, random: SystemRandom()), "signature")
            try engine.write(certificate, "certificate.der")
            try engine.run("x509 -in certificate.der -inform DER -noout -pubkey -out public.pem")
            try engine.run("pkeyutl -verify -pubin -inkey public.pem -in digest -sigfile signature")
        }
    }

    @Test("The other pair is tried for what is wrong with one of them, and for nothing else")
    func pairs() {
        let ofPair: [ContainerError] = [
            .missing(.masks), .missing(.primary2), .damaged(.masks, .mask), .maskCode(.masks), .key(.fingerprint),
            .unsupported(.keyFile(.primary)),
        ]
        let ofContainer: [ContainerError] = [
            .missing(.header), .damaged(.header, .encoding), .headerCode, .password, .passwordNeeded,
            .passwordNotNeeded, .unsupported(.form), .failure(.outOfMemory),
        ]
        for error in ofPair { #expect(error.isOfPair) }
        for error in ofContainer { #expect(!error.isOfPair) }
    }

    @Test("Errors name the file and the cause")
    func descriptions() {
        #expect("\(ContainerError.missing(.primary2))" == "primary2.key is missing")
        #expect("\(ContainerError.damaged(.masks, .mask))" == "masks.key is damaged: the mask is zero")
        #expect(
            "\(ContainerError.unsupported(.keyFile(.primary)))"
                == "the container is not supported: primary.key is of a form that is not read")
        #expect("\(ContainerError.maskCode(.masks2))" == "masks2.key is damaged: its code is wrong")
    }
}
