import GOST
import Secrets
import Testing
import Token

extension DriverPowerCutTests {
    /// Operations on what has more to it than a record.
    static let objectFlows: [Flow] = [
        Flow(name: "a certificate with an annotation", act: storeAnnotated),
        Flow(name: "another certificate with an annotation", prepare: storeAnnotated, act: storeAnnotated),
        Flow(name: "deletion of an annotated certificate", prepare: storeAnnotated, act: delete),
        Flow(
            name: "a change of an annotated certificate", prepare: storeAnnotated,
            act: { driver in
                for certificate in try driver.token.objects().certificates {
                    var changed = certificate
                    changed.label = [8]
                    changed.annotation.attributes = [0x110: [9]]
                    _ = try driver.token.change(certificate, to: changed)
                }
            }),
        Flow(
            name: "a change of a private key", prepare: importKey,
            act: { driver in
                for key in try driver.token.objects().keys {
                    var changed = key
                    changed.id = [8]
                    changed.annotation.attributes = [0x101: [0x30, 0]]
                    _ = try driver.token.change(key, to: changed)
                }
            }),
        Flow(name: "a private key from outside", act: importKey),
        Flow(
            name: "a key pair on P-256",
            act: { _ = try $0.token.generateECKeyPair(publicKey: half, privateKey: half) }),
        Flow(name: "a secret key", act: storeSecretKey),
        Flow(name: "deletion of a secret key", prepare: storeSecretKey, act: delete),
        Flow(
            name: "a change of a secret key", prepare: storeSecretKey,
            act: { driver in
                for key in try driver.token.objects().storedKeys {
                    var changed = key
                    changed.attributes = [3: [8]]
                    _ = try driver.token.change(key, to: changed)
                }
            }),
    ]

    private static func storeAnnotated(_ driver: Driver) throws {
        var certificate = TokenCertificate(label: [2], id: [3], subject: [1], value: [0x30, 0x00])
        certificate.annotation = ObjectAnnotation(isPrivate: true, attributes: [0x110: [7]])
        _ = try driver.token.storeCertificate(certificate)
    }

    private static func importKey(_ driver: Driver) throws {
        let algorithm = try #require(KeyAlgorithm(curve: .cryptoProA))
        let template = KeyPairTemplate(
            algorithm: algorithm, gostR3411Parameters: [], gost28147Parameters: [], canDerive: false,
            publicKey: half, privateKey: half)
        _ = try driver.token.importKey(Secret(copying: [UInt8](repeating: 7, count: 32)), template)
    }

    private static func storeSecretKey(_ driver: Driver) throws {
        let key = TokenStoredKey(kind: .secretKey, isPrivate: true, attributes: [3: [7]])
        _ = try driver.token.storeKey(key, value: Secret(copying: [UInt8](1...32)))
    }

    private static func delete(_ driver: Driver) throws {
        let objects = try driver.token.objects()
        for certificate in objects.certificates { try driver.token.delete(certificate) }
        for key in objects.storedKeys { try driver.token.delete(key) }
    }
}

extension TokenObjects {
    /// The same without what the token chooses anew each time.
    var withoutFiles: TokenObjects {
        var objects = self
        objects.keys = keys.map { key in
            var key = key
            (key.file, key.number, key.value) = (0, 0, nil)
            key.annotation = key.annotation.withoutFile
            return key
        }
        objects.rsaKeys = rsaKeys.map { key in
            var key = key
            (key.file, key.number, key.modulus) = (0, 0, nil)
            return key
        }
        objects.ecKeys = ecKeys.map { key in
            var key = key
            (key.file, key.number, key.point) = (0, 0, nil)
            return key
        }
        for index in data.indices { objects.data[index].file = 0 }
        objects.certificates = certificates.map { certificate in
            var certificate = certificate
            certificate.file = 0
            certificate.annotation = certificate.annotation.withoutFile
            return certificate
        }
        objects.storedKeys = storedKeys.map {
            TokenStoredKey(kind: $0.kind, isPrivate: $0.isPrivate, attributes: $0.attributes)
        }
        return objects
    }
}

extension ObjectAnnotation {
    fileprivate var withoutFile: ObjectAnnotation { ObjectAnnotation(isPrivate: isPrivate, attributes: attributes) }
}
