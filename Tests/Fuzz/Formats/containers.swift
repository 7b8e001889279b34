// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import Secrets

/// Key containers: typed errors, never a trap, and never a key without the fingerprint of the header. The first byte chooses the
/// file that the rest is, or is added to, modulo 2: of a valid container with two keys of 256 bits, without a password. A header
/// gets the right code for its contents, so that the parser behind the code is reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzContainers(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    let isChanged = first >= 0x80
    var files = container
    let changed = ContainerFile.allCases[Int(first & 0x7F) % ContainerFile.allCases.count]
    files[changed] = isChanged ? sum(files[changed] ?? [], rest) : rest
    if changed == .header { files[.header] = sealed(files[.header] ?? []) }
    let nameFile = files[.name] ?? []
    _ = try? ContainerName(file: nameFile.span)
    let headerFile = files[.header] ?? []
    let beginning = Array(headerFile.prefix(16))
    let length = try? ContainerHeader.length(from: beginning.span)
    guard let header = try? ContainerHeader(file: headerFile.span) else { return 0 }
    guard header.length == length else { fatalError("another length than the beginning says") }
    guard !header.keys.isEmpty else { fatalError("a header without keys") }
    for pair in ContainerPair.allCases {
        for key in header.keys { open(key, of: header, files, pair) }
    }
    return 0
}

private func open(
    _ key: ContainedKey, of header: ContainerHeader, _ files: [ContainerFile: [UInt8]], _ pair: ContainerPair
) {
    let masks = Secret(copying: files[pair.masks] ?? [])
    let primary = Secret(copying: files[pair.primary] ?? [])
    let password = Secret(count: 0)
    do throws(ContainerError) {
        let opened = try header.open(key.index, masks: masks, primary: primary, password: password, of: pair)
        guard let point = try? opened.publicKey().bytes else { fatalError("a key without its public half") }
        guard point.starts(with: key.fingerprint) else { fatalError("another key than the header has") }
    } catch {
        if case .failure(let error) = error { fatalError("\(error)") }
    }
}

/// A header with the code of its contents.
private func sealed(_ header: [UInt8]) -> [UInt8] {
    let key = [UInt8](repeating: 0, count: 32)
    guard let outer = try? ElementHeader(header.span, .der), let length = outer.length, length > 6,
        outer.count + length <= header.count
    else { return header }
    let contents = Array(header[outer.count..<outer.count + length - 6])
    guard let code = try? GOST28147IMIT.authenticate(contents.span, key: key.span, sBox: .tc26Z, meshing: false) else {
        return header
    }
    return Array(header[..<(outer.count + length - 4)]) + [UInt8](copying: code)
        + Array(header[(outer.count + length)...])
}

private func sum(_ bytes: [UInt8], _ changes: [UInt8]) -> [UInt8] {
    bytes.enumerated().map { $0.element ^ (changes.indices.contains($0.offset) ? changes[$0.offset] : 0) }
}

private func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

private let container: [ContainerFile: [UInt8]] = [
    .name: bytes(
        "30061604626f7468"),
    .header: bytes(
        "3081be3081b5a00a06082a85030202250201030206403024030100a01f06082a85030701010101301306072a85030202"
            + "240006082a85030701010202a42503020520a01f06082a85030701010601301306072a85030202240006082a85030701"
            + "0102028a08ad77aeba7ff3c7488b08fa53064d7625274cac42301f06082a8503020225030904133011810f3230333531"
            + "3233313233353935395a301f06082a8503020225030a04133011810f32303335313233313233353935395a04047c935e"
            + "a0"),
    .masks: bytes(
        "303604206ec061f84df5e591b6aa9dac6eafc7c4954b1d303ada328d956d1217e36061a8040c1ec306ac109088c913a8"
            + "baec04040b4e040f"),
    .primary: bytes(
        "304404203078cc450b07e6422bae6f7d8519a263c1be6d8dc66ea7d8c75cc18a9460855e80203c734465b92a9bfa5223"
            + "eb1466240b76a19993706fc9e06c16073bdd4362a544"),
    .masks2: bytes(
        "30360420b9e1e96b03f8926655d282314f6ad8ff69b96bf1901098e3907e90400038a842040cedd49d60aa5867ccd5c7"
            + "e79304043aad1f94"),
    .primary2: bytes(
        "304404205c1dea836061abb7687486862c7de7e7a471ac0386ea40b0e63ffcf26510ebf98020b9a6416b64c2161ac071"
            + "2ca5a3f27231bd2a2f171754278f38c35bc660adac74"),
]
