// SPDX-License-Identifier: Apache-2.0
// Compiled with: Sources/KanalESIA/Authorization/Answer.swift Sources/KanalESIA/Authorization/AuthorizationError.swift
// Compiled with: Sources/KanalESIA/Authorization/CallbackError.swift
// Compiled with: Sources/KanalESIA/Authorization/AuthorizationRequest.swift
// Compiled with: Sources/KanalESIA/Authorization/AuthorizationCode.swift Sources/KanalESIA/Authorization/Outcome.swift
// Compiled with: Sources/KanalESIA/Authorization/BiometricVerification.swift
// Compiled with: Sources/KanalESIA/Authorization/Authorization+Settings.swift

/// The namespace of the settings; this target needs nothing else of it.
public enum Authorization {}

/// The parameters of an answer of another application: refused, or taken with the values that another decoder finds, in
/// any order.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAnswers(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    _ = try? Answer(url: text, callback: callback)
    guard let answer = try? Answer(url: callback + "?" + text, callback: callback) else { return 0 }
    let fields = text.split(separator: "&")
    guard answer.state == value(of: "state", in: fields), isPlain(answer.state) else { fatalError("another state") }
    let turned = try? Answer(url: callback + "?" + fields.reversed().joined(separator: "&"), callback: callback)
    guard turned?.state == answer.state else { fatalError("the order makes a difference") }
    for kind in [AuthorizationRequest.Kind.code, .verification, .address] {
        guard let end = try? answer.end(of: kind) else { continue }
        switch end {
        case .success(.code(let code)):
            guard kind == .code, code.code == value(of: "code", in: fields), isPlain(code.code), !code.code.isEmpty,
                code.state == answer.state
            else { fatalError("another code") }
        case .success(.address(let url)):
            guard kind == .address, url == callback + "?" + text else { fatalError("another address") }
        case .success(.verification(let verification)):
            let expected = value(of: "verify_token", in: fields)
            guard kind == .verification, verification.verifyToken == expected, verification.expiry >= 0 else {
                fatalError("another verification")
            }
        case .failure:
            guard value(of: "error", in: fields) != nil else { fatalError("an error out of nothing") }
        }
    }
    return 0
}

private let callback = "org.example.app:/answer"

/// The value of a field that is right, by its name as it is after decoding.
private func value(of name: String, in fields: [Substring]) -> String? {
    for field in fields {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
        if parts.first == name { return parts.dropFirst().first }
    }
    return nil
}

private func decoded(_ text: Substring) -> String {
    let pieces = text.split(separator: "%", omittingEmptySubsequences: false)
    var bytes = (pieces.first ?? "").utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
    for piece in pieces.dropFirst() {
        bytes.append(UInt8(piece.prefix(2), radix: 16) ?? 0)
        bytes += piece.dropFirst(2).utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
    }
    return String(decoding: bytes, as: UTF8.self)
}

private func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }
