// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostProcess
import KanalKit
import Translation

/// The reply to a browser that has requested something from the loopback.
struct LoopbackPage {
    private let status: String
    private let text: Phrase
    /// Called once the reply is sent.
    let then: @Sendable () -> Void

    private init(_ status: String, _ text: Phrase, then: @escaping @Sendable () -> Void = {}) {
        (self.status, self.text, self.then) = (status, text, then)
    }

    private init(_ refusal: CallbackError) {
        self.init(
            refusal == .tooLong ? "414 URI Too Long" : "400 Bad Request",
            "The answer was refused: \(refusal.explanation).")
    }

    /// - Parameters:
    ///   - heard: The HTTP request, as far as it has arrived.
    ///   - origin: The address of the listener.
    ///   - path: The path at which answers are taken.
    ///   - title: The name of the program that waits.
    ///   - take: Accepts an answer, and returns the closure that notifies the waiting program.
    /// - Returns: nil if the request is incomplete.
    static func reply(
        to heard: [UInt8], origin: String, path: String, title: String,
        _ take: (String) throws(CallbackError) -> @Sendable () -> Void
    ) -> LoopbackPage? {
        let line = heard.prefix { $0 != 0x0A }
        // Input that cannot become a request is refused at once.
        let method = Array("GET /".utf8)
        guard heard.starts(with: method) || method.starts(with: heard) else {
            return LoopbackPage("405 Method Not Allowed", "Only answers are taken here.")
        }
        guard line.count < heard.count else { return line.count <= Answer.limit ? nil : LoopbackPage(.tooLong) }
        guard isWhole(heard) else {
            if heard.count < AnswerListener.limit { return nil }
            return LoopbackPage("431 Request Header Fields Too Large", "Request too large.")
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
            return LoopbackPage("400 Bad Request", "Not an HTTP request.")
        }
        guard words[1].prefix(while: { $0 != "?" }) == path else {
            return LoopbackPage("404 Not Found", "There is nothing here.")
        }
        do throws(CallbackError) {
            let tell = try take(origin + words[1])
            return LoopbackPage("200 OK", "The answer has reached \(title). You can close this page.", then: tell)
        } catch {
            return LoopbackPage(error)
        }
    }

    /// The reply as it is sent.
    var bytes: [UInt8] {
        let shown = translated(text).reduce(into: "") { result, character in
            switch character {
            case "<": result += "&lt;"
            case "&": result += "&amp;"
            default: result.append(character)
            }
        }
        let page = "<!DOCTYPE html><meta charset=\"utf-8\"><title>\(status.prefix(3))</title><p>\(shown)</p>\n"
        let fields = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)",
            "Content-Security-Policy: default-src 'none'", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
            "Connection: close",
        ]
        return Array((fields.joined(separator: "\r\n") + "\r\n\r\n" + page).utf8)
    }

    private static func isWhole(_ request: [UInt8]) -> Bool {
        let end = Array("\r\n\r\n".utf8)
        return request.count >= end.count
            && (0...(request.count - end.count)).contains { request[$0..<($0 + end.count)].elementsEqual(end) }
    }
}

/// The way of answers through a browser: a listener at 127.0.0.1.
enum LoopbackReceiver {
    /// Opens the listener.
    static func open(
        _ requests: PendingRequests, at address: LoopbackAddress, title: String
    ) throws(AuthorizationError) -> CallbackReceiver {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = StandardDescriptors.avoid(otherwise: -1) { socket(AF_INET, type, 0) }
        guard number >= 0, let port = listen(at: number, address.port) else {
            let reason = Phrase(errno: errno)
            if number >= 0 { close(number) }
            let place = "127.0.0.1" + (address.port.map { ":\($0)" } ?? "")
            throw .failed(.system("nothing can listen at \(place): \(reason)"))
        }
        let origin = "http://127.0.0.1:\(port)"
        let callback = origin + address.path
        let listener = try AnswerListener(number) { heard in
            let page = LoopbackPage.reply(
                to: heard, origin: origin, path: address.path, title: title
            ) { url throws(CallbackError) in
                try requests.take(url, callback: callback)
            }
            return page.map { ($0.bytes, $0.then) }
        }
        return CallbackReceiver(callback: callback, listener: listener)
    }

    /// - Returns: The port; nil, with `errno`, if the system refuses.
    private static func listen(at number: Int32, _ port: UInt16?) -> UInt16? {
        // A port of the caller's choice may have connections of an earlier listener that end now.
        var isOn: Int32 = 1
        _ = unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (port ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isDone = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(number, address, size) == 0 && Glibc.listen(number, 16) == 0
                    && getsockname(number, address, &size) == 0
            }
        }
        return isDone ? UInt16(bigEndian: address.sin_port) : nil
    }
}
