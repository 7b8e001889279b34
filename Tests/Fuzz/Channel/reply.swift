// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
@testable import SecureChannel

/// Protected replies: each is refused with a typed error, since no input can have a right tag; a reply that is read by
/// form alone has parts in their sizes. The contents of right replies are lists of hosts, batches and passwords.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReply(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let body = Array(input.dropFirst())
    if let reply = try? ProtectedReply(parsing: body, limit: 128) {
        let count = reply.sealed.count - 8
        guard reply.indicator == nil ? count == 0 : (1...128).contains(count) else { fatalError("another size") }
    }
    verify(body, first & 1 == 0 ? ClassicSuite.self : ModernSuite.self)
    if let hosts = try? PairedHost.list(parsing: body) {
        guard hosts.allSatisfy({ $0.hostID.count == 8 && $0.index > 0 }) else { fatalError("another host") }
    }
    if let replies = try? Batch.replies(in: body, to: 16) {
        guard (1...16).contains(replies.count) else { fatalError("another number of replies") }
    }
    if let password = try? SecureChannel.password(in: body.span) {
        guard (12...32).contains(password.count) else { fatalError("another password") }
    }
    return 0
}

private func verify(_ body: [UInt8], _ suite: any Suite.Type) {
    var session = HostSession(suite: suite, channel: 0, seed: Secret(count: 32), exporter: Secret(count: 32))
    let header = CommandHeader(cla: 0, ins: 0x84, p1: 0, p2: 0)
    do {
        _ = try session.protect(header, Span(), ne: 8, padded: false, extended: false)
        _ = try session.verify(Response(.success, data: body))
    } catch {
        return
    }
    fatalError("a tag was guessed")
}
