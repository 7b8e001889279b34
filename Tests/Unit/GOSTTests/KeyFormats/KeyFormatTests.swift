// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("SubjectPublicKeyInfo and PKCS #8")
struct KeyFormatTests {
    @Test(
        "The length of an element has its shortest form",
        arguments: [
            (0, "0400"), (127, "047f"), (128, "048180"), (256, "04820100"), (65_535, "0482ffff"),
            (65_536, "0483010000"),
            (1 << 32, "04850100000000"),
        ])
    func lengths(_ count: Int, _ header: String) { #expect(DERTag.octetString.header(count: count).hex == header) }

    @Test("Keys of every parameter set are read, and written byte for byte (RFC 9215, 4; RFC 4491, 2.3.2)")
    func keys() throws {
        let vectors = try JSON(vectors: "keyformats.json").vectors.list.filter { $0.kind.text == "PKCS8+SPKI" }
        #expect(vectors.count == 15)
        for vector in vectors {
            let curve = try vector.namedCurve
            let algorithm = try #require(algorithms[vector.alg.text ?? ""])
            let info = try publicKey(vector.spki.bytes)
            #expect(info.algorithm.algorithm == algorithm && info.key.curve == curve, "\(vector.name)")
            #expect(info.key.bytes == vector.pub_le.bytes && info.der == vector.spki.bytes, "\(vector.name)")
            #expect(try SubjectPublicKeyInfo(algorithm: algorithm, key: info.key) == info, "\(vector.name)")

            let (scalar, pkcs8) = (vector.prv_le.bytes, vector.pkcs8.bytes)
            let privateInfo = try PrivateKeyInfo(der: pkcs8.span)
            #expect(privateInfo.key.scalar.array == scalar && privateInfo.algorithm == info.algorithm)
            #expect(privateInfo.der().array == pkcs8, "\(vector.name)")
            #expect(try privateInfo.key.publicKey() == info.key, "\(vector.name)")
            let key = try PrivateKey(curve: curve, scalar: Secret(copying: scalar))
            let made = try PrivateKeyInfo(algorithm: algorithm, key: key)
            #expect(made.der().array == pkcs8, "\(vector.name)")

            if vector.engine_spki.isNull { continue }
            let engines = try publicKey(vector.engine_spki.bytes)
            #expect(engines.key == info.key && engines.algorithm.digestParameterSet != nil, "\(vector.name)")
            #expect(engines.der == vector.engine_spki.bytes, "\(vector.name)")
        }
    }

    private let algorithms: [String: PublicKeyAlgorithm] = [
        "id-GostR3410-2001": .gostR34102001, "id-tc26-gost3410-12-256": .gostR34102012256,
        "id-tc26-gost3410-12-512": .gostR34102012512,
    ]

    private func publicKey(_ der: [UInt8]) throws(GOSTError) -> SubjectPublicKeyInfo {
        try SubjectPublicKeyInfo(der: der.span)
    }

    @Test("The keys in certificates and requests verify their signatures, and lists of the same issuer (RFC 9215, D)")
    func certificates() throws {
        let vectors = try JSON(vectors: "keyformats.json").vectors.list.filter { !$0.der.isNull }
        #expect(vectors.count == 19)
        var issuer: SubjectPublicKeyInfo?
        for vector in vectors {
            let signed = SignedObject(vector.der.bytes)
            if vector.kind.text != "X509 CRL" {
                let info = try publicKey(try #require(signed.subjectPublicKeyInfo))
                #expect(info.der == signed.subjectPublicKeyInfo, "\(vector.name)")
                issuer = info
            }
            let key = try #require(issuer).key
            let isShort = key.curve.coordinateSize == 32
            let digest = isShort ? Streebog256.hash(signed.content) : Streebog512.hash(signed.content)
            #expect(try key.isValidSignature(signed.signature, digest: digest), "\(vector.name)")
            if vector.d.isNull { continue }
            let size = key.curve.coordinateSize
            #expect(key.bytes == vector.number("qx", size) + vector.number("qy", size), "\(vector.name)")
            let scalar = Secret(copying: vector.number("d", size))
            #expect(try PrivateKey(curve: key.curve, scalar: scalar).publicKey() == key, "\(vector.name)")
        }
    }

    @Test("A key is refused if cut off anywhere, or if an byte follows")
    func truncated() throws {
        for vector in try JSON(vectors: "keyformats.json").vectors.list where !vector.spki.isNull {
            let (spki, pkcs8) = (vector.spki.bytes, vector.pkcs8.bytes)
            for count in spki.indices {
                #expect(throws: GOSTError.invalidEncoding) { try publicKey(Array(spki.prefix(count))) }
            }
            for count in pkcs8.indices {
                #expect(privateKeyRefusal(Array(pkcs8.prefix(count))) == .invalidEncoding)
            }
            #expect(throws: GOSTError.invalidEncoding) { try publicKey(spki + [0]) }
            #expect(privateKeyRefusal(pkcs8 + [0]) == .invalidEncoding)
        }
    }

    private func privateKeyRefusal(_ der: [UInt8]) -> GOSTError? {
        do throws(GOSTError) { _ = try PrivateKeyInfo(der: der.span) } catch { return error }
        return nil
    }

    @Test("A public key with any one bit changed is refused, or is read and written as it is")
    func changedBits() throws {
        for vector in try JSON(vectors: "keyformats.json").vectors.list where !vector.spki.isNull {
            // The point follows.
            let count = vector.spki.bytes.count - vector.pub_le.bytes.count
            for bit in 0..<(8 * count) {
                var spki = vector.spki.bytes
                spki[bit / 8] ^= 1 << UInt8(bit % 8)
                guard let info = try? publicKey(spki) else { continue }
                #expect(info.der == spki, "\(vector.name) bit \(bit)")
            }
        }
    }

    private let curve: [UInt8] = [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01]

    /// A public key with these bytes for AlgorithmIdentifier, and the point P of CryptoPro A.
    private func key(_ algorithm: [UInt8]) throws -> [UInt8] {
        let one = [1] + [UInt8](repeating: 0, count: 31)
        let point = try PrivateKey(curve: .cryptoProA, scalar: Secret(copying: one)).publicKey().bytes
        return der(0x30, algorithm + der(0x03, [0] + der(0x04, point)))
    }

    private func der(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag] + (contents.count < 0x80 ? [] : [0x81]) + [UInt8(contents.count)] + contents
    }

    @Test("The number of a private key can be an INTEGER, big-endian", arguments: [Curve.cryptoProA, .tc26512A])
    func integer(curve: Curve) throws {
        let size = curve.coordinateSize
        let algorithm: PublicKeyAlgorithm = size == 64 ? .gostR34102012512 : .gostR34102012256
        let identifier = try AlgorithmIdentifier(algorithm: algorithm, curve: curve).der
        func der(_ number: [UInt8]) -> [UInt8] {
            let octets = DERTag.octetString.element(DERTag.integer.element(number))
            return DERTag.sequence.element([2, 1, 0] + identifier + octets)
        }
        for last in [0x80, 0x7F, 0] as [UInt8] {
            let scalar = [UInt8](repeating: 5, count: size - 1) + [last]
            let number = (last == 0x80 ? [0] : []) + Array(scalar.reversed().drop { $0 == 0 })
            let bytes = der(number)
            let info = try PrivateKeyInfo(der: bytes.span)
            #expect([UInt8](copying: info.key.scalar) == scalar)
        }
        for wrong in [[], [0x80] + [UInt8](repeating: 5, count: size), [1] + [UInt8](repeating: 0, count: size)] {
            let bytes = der(wrong)
            #expect(throws: GOSTError.self) { _ = try PrivateKeyInfo(der: bytes.span) }
        }
    }

    @Test("Identifiers behind the curve are a hash function and a cipher's parameter set, and nothing more")
    func parameters() throws {
        let sBox: [UInt8] = [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1F, 0x01]
        for algorithm in [PublicKeyAlgorithm.gostR34102001, .gostR34102012256] {
            func refusal(_ parameters: [UInt8]) throws -> GOSTError? {
                let encoded = try key(der(0x30, algorithm.oid + der(0x30, parameters)))
                do throws(GOSTError) {
                    let info = try publicKey(encoded)
                    #expect(info.der == encoded)
                } catch { return error }
                return nil
            }
            #expect(try refusal(curve) == nil)
            #expect(try refusal(curve + algorithm.digestParameterSet) == nil)
            #expect(try refusal(curve + algorithm.digestParameterSet + sBox) == nil)
            #expect(try refusal(curve + algorithm.digestParameterSet + sBox + sBox) == .invalidEncoding)
            #expect(try refusal(curve + [0x05, 0x00]) == .invalidEncoding)
            #expect(try refusal(curve + sBox) == .invalidParameter)
            #expect(try refusal(sBox) == .invalidParameter)
        }
    }

    @Test("A key whose curve does not go with the algorithm is not written")
    func mismatch() throws {
        let key = try PrivateKey.generate(on: .tc26256A, random: SystemRandom()).publicKey()
        for algorithm in [PublicKeyAlgorithm.gostR34102001, .gostR34102012512] {
            #expect(throws: GOSTError.invalidParameter) { try SubjectPublicKeyInfo(algorithm: algorithm, key: key) }
        }
    }

    @Test("Lengths are definite and in the fewest bytes (X.690, 10.1)")
    func lengths() throws {
        let parameters = der(0x30, PublicKeyAlgorithm.gostR34102012256.oid + der(0x30, Curve.tc26256B.oid))
        let encoded = try key(parameters)
        #expect(try publicKey(encoded).der == encoded)
        let (length, contents) = (encoded[1], Array(encoded.dropFirst(2)))
        for header in [[0x30, 0x81, length], [0x30, 0x82, 0, length], [0x30, 0x83, 0, 0, length], [0x30, 0x80]] {
            #expect(throws: GOSTError.invalidEncoding) { try publicKey(header + contents) }
        }
        #expect(throws: GOSTError.invalidEncoding) { try publicKey([0x30, 0x80] + contents + [0, 0]) }
        #expect(throws: GOSTError.invalidEncoding) { try publicKey([0x31, length] + contents) }
        #expect(throws: GOSTError.invalidEncoding) { try publicKey([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]) }
    }

    @Test("d may stand in another OCTET STRING, attributes and a public key behind it; versions above 1 are refused")
    func privateKeyForms() throws {
        let algorithm = PublicKeyAlgorithm.gostR34102012256
        let scalar = [UInt8](repeating: 7, count: 32)
        let parameters = der(0x30, algorithm.oid + der(0x30, Curve.tc26256B.oid))
        func encoded(version: UInt8 = 0, _ bytes: [UInt8], _ attributes: [UInt8] = []) -> [UInt8] {
            der(0x30, [0x02, 1, version] + parameters + der(0x04, bytes) + attributes)
        }
        for form in [encoded(scalar), encoded(der(0x04, scalar)), encoded(scalar, [0xA0, 0])] {
            let info = try PrivateKeyInfo(der: form.span)
            #expect(info.key.scalar.array == scalar)
            #expect(info.der().array == encoded(scalar))
        }
        for form in [encoded(version: 1, scalar), encoded(version: 1, scalar, [0xA0, 0, 0x81, 2, 0, 7])] {
            let info = try PrivateKeyInfo(der: form.span)
            #expect(info.key.scalar.array == scalar)
        }
        #expect(privateKeyRefusal(encoded(version: 2, scalar)) == .invalidEncoding)
        #expect(privateKeyRefusal(encoded(scalar, [0x81, 2, 0, 7])) == .invalidEncoding)
        #expect(privateKeyRefusal(encoded(scalar, [0xA1, 0])) == .invalidEncoding)
        #expect(privateKeyRefusal(encoded(der(0x04, scalar) + [0])) == .invalidEncoding)
        #expect(privateKeyRefusal(encoded(der(0x04, Array(scalar.dropLast())))) == .invalidScalar)
        #expect(privateKeyRefusal(encoded([UInt8](repeating: 0, count: 32))) == .invalidScalar)
        #expect(privateKeyRefusal(encoded([UInt8](repeating: 0xFF, count: 32))) == .invalidScalar)
    }

    @Test("A private key may be named by agreement on keys, a public key not")
    func agreementNames() throws {
        let names: [(PublicKeyAlgorithm, Curve, [UInt8])] = [
            (.gostR34102001, .cryptoProXchA, [0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x62]),
            (.gostR34102012256, .tc26256B, [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x06, 0x01]),
            (.gostR34102012512, .tc26512A, [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x06, 0x02]),
        ]
        for (algorithm, curve, name) in names {
            let digest = algorithm == .gostR34102001 ? algorithm.digestParameterSet : []
            let parameters = der(0x30, name + der(0x30, curve.oid + digest))
            let scalar = [UInt8](repeating: 7, count: curve.coordinateSize)
            let encoded = der(0x30, [0x02, 1, 0] + parameters + der(0x04, scalar))
            let info = try PrivateKeyInfo(der: encoded.span)
            #expect(info.algorithm.algorithm == algorithm && info.key.scalar.array == scalar)
            #expect(throws: GOSTError.invalidParameter) { try publicKey(key(parameters)) }
        }
    }

    @Test("A masked key is the product of its numbers modulo q, and the key of the certificate beside it")
    func maskedKey() throws {
        let vectors = try JSON(vectors: "cms_pkcs12.json").vectors.list
        let masked = try #require(vectors.first { $0.name == "cms-019" }).der.bytes
        let bag = try #require(vectors.first { $0.name == "cms-021" }).der.bytes
        let info = try PrivateKeyInfo(der: masked.span)
        let point = try info.key.publicKey().bytes
        #expect(bag.indices.contains { bag.dropFirst($0).starts(with: point) })

        let key = info.key.scalar.array
        var three = [UInt8](repeating: 0, count: 32)
        three[0] = 3
        let tripled = der(0x30, [0x02, 1, 0] + info.algorithm.der + [0x04, 96] + masked.suffix(64) + three)
        let tripledInfo = try PrivateKeyInfo(der: tripled.span)
        #expect(tripledInfo.key.scalar.array != key)
        for mask in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32)] {
            let bytes = key + mask
            let encoded = der(0x30, [0x02, 1, 0] + info.algorithm.der + der(0x04, bytes))
            #expect(privateKeyRefusal(encoded) == .invalidScalar)
        }
    }

    @Test("The keys beside certificates are theirs")
    func keysOfCertificates() throws {
        let vectors = try JSON(vectors: "cms_pkcs12.json").vectors.list
        for (certificate, key) in [("cms-024", "cms-025"), ("cms-026", "cms-027")] {
            let signed = SignedObject(try #require(vectors.first { $0.name == certificate }).der.bytes)
            // Most significant byte first.
            let scalar: [UInt8] = try #require(vectors.first { $0.name == key })["hex"].bytes.reversed()
            let info = try publicKey(try #require(signed.subjectPublicKeyInfo))
            let own = try PrivateKey(curve: info.key.curve, scalar: Secret(copying: scalar))
            #expect(try own.publicKey() == info.key, "\(certificate)")
            let digest = scalar.count == 32 ? Streebog256.hash(signed.content) : Streebog512.hash(signed.content)
            #expect(try info.key.isValidSignature(signed.signature, digest: digest), "\(certificate)")
        }
    }
}
