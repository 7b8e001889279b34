// SPDX-License-Identifier: Apache-2.0
// The bytes of secrets, in one line and in several.
import KanalKit

func use(_ bytes: Span<UInt8>) {}

func read(_ secrets: SharedSecrets) async throws {
    try await secrets.read(service: "s", account: "a") { use($0) }
    try await secrets.read(service: "s", account: "a", use)
    try await secrets.read(service: "s", account: "a").withBytes(use)
    let value = try await secrets.read(service: "s", account: "a")
    value.withBytes { bytes in use(bytes) }
    try await secrets.key().withText(use)
}

func decrypted(_ token: Token, _ ciphertext: [UInt8], _ key: KeyPair) async throws -> [UInt8] {
    try await token.perform { session in
        try session.decrypt(ciphertext, with: key, padding: .pkcs1).withBytes { bytes in
            bytes.indices.map { bytes[$0] }
        }
    }
}
