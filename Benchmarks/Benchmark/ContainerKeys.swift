// SPDX-License-Identifier: Apache-2.0
import Containers
import Foundation
import GOST
import Secrets

/// What a signature with a key of a container costs beside the commands: its files are opened, the key is proven and signs.
/// The containers are vectors; one has a password, whose check and derivation are most of the time.
func containerPrimitives() throws -> [KeyPrimitive] {
    try [("256-tc26-a", "256-A", ""), ("512-b", "512-B", ""), ("256-tc26-b", "256-B, password", "Aa1!")].map {
        (vector, curve, password) in
        let files = try files(of: vector)
        let file = files["header.key"] ?? []
        let header = try ContainerHeader(file: file.span)
        let (masks, primary) = (files["masks.key"] ?? [], files["primary.key"] ?? [])
        let digest = [UInt8](repeating: 7, count: header.keys[0].curve.coordinateSize)
        return KeyPrimitive(name: "open a container's key, sign", curve: curve) {
            let key = try header.open(
                .first, masks: Secret(copying: masks), primary: Secret(copying: primary),
                password: Secret(copying: Array(password.utf8)))
            _ = try key.sign(digest: digest.span, random: SystemRandom())
        }
    }
}

/// The files of a vector, by their names.
private func files(of vector: String) throws -> [String: [UInt8]] {
    let data = try Data(contentsOf: URL(filePath: "Tests/Vectors/containers.json"))
    let vectors = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let containers = vectors?["containers"] as? [[String: Any]] ?? []
    let files = containers.first { $0["id"] as? String == vector }?["files"] as? [String: String] ?? [:]
    return files.mapValues { hex in
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
