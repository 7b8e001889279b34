// SPDX-License-Identifier: Apache-2.0
import Secrets
import TestSupport
import Token

extension DriverPowerCutTests {
    /// Operations on objects with more than a record.
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
                    changed.attributes = [0x110: [9]]
                    _ = try driver.token.change(certificate, to: changed)
                }
            }),
        Flow(name: "deletion of a secret key", prepare: storeSecret, act: delete),
        Flow(
            name: "a change of a secret key", prepare: storeSecret,
            act: { driver in
                for key in try driver.token.objects().storedKeys {
                    var changed = key
                    changed.attributes = [3: [8]]
                    _ = try driver.token.change(key, to: changed)
                }
            }),
    ]

    private static func storeAnnotated(_ driver: Driver) throws {
        var certificate = TokenObject.certificate(label: [2], id: [3], subject: [1], value: [0x30, 0x00])
        certificate.isPrivate = true
        certificate.attributes = [0x110: [7]]
        _ = try driver.token.store(certificate)
    }

    private static func delete(_ driver: Driver) throws {
        let objects = try driver.token.objects()
        for certificate in objects.certificates { try driver.token.delete(certificate) }
        for key in objects.storedKeys { try driver.token.delete(key) }
    }
}
