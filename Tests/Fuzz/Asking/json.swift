// SPDX-License-Identifier: Apache-2.0
// Compiled with: Sources/KanalESIA/ESIA/JSONReader.swift Sources/KanalESIA/ESIA/JSONValue.swift

/// An object of JSON, as the identity service sends it: refused, or read as the same values when they are written in
/// another way, and never when its end is missing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let members = try? JSONReader.object(text) else { return 0 }
    let written = JSONValue.object(members).written
    guard let again = try? JSONReader.object(Array(written.utf8)), JSONValue.object(again).written == written else {
        fatalError("other values")
    }
    let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    guard let end = text.lastIndex(where: { !spaces.contains($0) }) else { fatalError("an object out of nothing") }
    guard (try? JSONReader.object(Array(text[..<end]))) == nil else { fatalError("an object without its end") }
    return 0
}

extension JSONValue {
    /// All characters as escapes, names in their order, spaces wherever they may be.
    fileprivate var written: String {
        switch self {
        case .null: "null"
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): number
        case .text(let bytes): Self.escaped(String(decoding: bytes, as: UTF8.self))
        case .list(let values): "[ " + values.map(\.written).joined(separator: " , ") + " ]"
        case .object(let members):
            "{ "
                + members.sorted { $0.key < $1.key }.map { "\(Self.escaped($0)) : \($1.written)" }
                .joined(separator: " , ") + " }"
        }
    }

    private static func escaped(_ text: String) -> String {
        let units = text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"" + units.joined() + "\""
    }
}
