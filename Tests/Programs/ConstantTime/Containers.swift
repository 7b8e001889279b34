// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import Secrets

extension Claim {
    /// Keys of containers, from their files to the proven key: the mask, the enciphered key and the password are secret,
    /// and the rest of the files shows.
    static let containers = [
        Claim("a container's key of 2001") { inputs in try Container.of2001.open(inputs) },
        Claim("a container's key of 256 bits, with a password") { inputs in try Container.of256.open(inputs) },
        Claim("a container's key of 512 bits, cofactor 4") { inputs in try Container.of512.open(inputs) },
    ]
}

/// The files of a container that was made for this program.
private struct Container {
    let header, masks, primary: String
    var password = ""

    func open(_ inputs: Inputs) throws -> [UInt8] {
        let header = try ContainerHeader(file: Self.bytes(header).span)
        let size = header.keys.first?.curve.coordinateSize ?? 0
        let masks = Self.partlySecret(Self.bytes(masks), size, inputs)
        let primary = Self.partlySecret(Self.bytes(primary), size, inputs)
        let password = inputs.secret(password.utf8)
        return revealed(try header.open(.first, masks: masks, primary: primary, password: password).scalar)
    }

    /// A file whose first string is secret.
    private static func partlySecret(_ file: [UInt8], _ count: Int, _ inputs: Inputs) -> Secret {
        let (head, rest) = (file.prefix(4), file.dropFirst(4))
        let secret = inputs.secret(rest.prefix(count))
        let tail = Array(rest.dropFirst(count))
        return Secret(copying: Array(head)).appending(secret.bytes).appending(tail.span)
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    static let of2001 = Container(
        header: "306e3066a00a06082a85030202250201030100302203020520a01c06062a8503020262301206072a"
            + "85030202240006072a850302021e018204000000008a0835e48243d9eb3f3aac21301f06082a8503"
            + "020225030a04133011810f32303335313233313233353935395a040418976a4c",
        masks: "303604209f830dbda50065d2139c6cdc1caceb131ebac48ad9f0171f4f98529fbe960e37040c966e"
            + "41e6f2f30f612a70db1f0404bd0ec322",
        primary: "30220420a669684b493b4f149c7bc5b5139b9a30223cca7e02e98f372bd4904e04170bb4")

    static let of256 = Container(
        header: "30713069a00a06082a85030202250201030207803024030100a01f06082a85030701010101301306"
            + "072a85030202240006082a8503070101020282042c3114778a0835e48243d9eb3f3aac21301f0608"
            + "2a8503020225030904133011810f32303335313233313233353935395a0404cbd8f176",
        masks: "303604209f830dbda50065d2139c6cdc1caceb131ebac48ad9f0171f4f98529fbe960e37040c966e"
            + "41e6f2f30f612a70db1f0404ae2233c3",
        primary: "3022042035b52c1c5c234ad7c456ff0e22f3fbbfe768e04be85133d1ae29e5e654b2e272",
        password: "1")

    static let of512 = Container(
        header: "3073306ba00a06082a85030202250201030100302703020520a02106082a85030701010602301506"
            + "092a850307010201020306082a850307010102038204000000008a08a9c4ad7e50a47797ac21301f"
            + "06082a8503020225030a04133011810f32303335313233313233353935395a040489bde344",
        masks: "305604406b398b38073e838ef204fd79e149803b8ebe624e54a2fcb69de68e62d2b234cd9f830dbd"
            + "a50065d2139c6cdc1caceb131ebac48ad9f0171f4f98529fbe960e37040c966e41e6f2f30f612a70"
            + "db1f0404ae2233c3",
        primary: "304204405d5da111f295b325f0d3304bd1cd1fb3924a215ed133b968259dcc4338998079d4c53ca9"
            + "677c0253223e66839ed4e7c5ea5c01a96de8d968a1e16e6f7cdf8bec")
}
