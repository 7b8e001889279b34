// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import HostProcess
import KanalKit
import Locking

/// Answers short questions at a socket, in a thread of its own, until it is stopped. A client sends one request, gets
/// one reply, and is disconnected. A silent or oversized client never blocks others.
final class AnswerListener: Sendable {
    /// The reply to the input so far, and a closure to call once it is sent; nil if the input is incomplete.
    typealias Reply = @Sendable (_ heard: [UInt8]) -> (bytes: [UInt8], then: @Sendable () -> Void)?

    private struct Conversation {
        let socket: Int32
        let deadline: Duration
        var heard: [UInt8] = []
        var isAnswered = false
        var isOver = false
    }

    /// The limit of conversations at a time; the oldest ends for a new one.
    private static let most = 16
    /// The limit of a conversation's input, in bytes.
    static let limit = 16_384

    /// The writing end of a pipe. The thread ends when it is closed.
    private let stop: Int32

    /// - Parameters:
    ///   - socket: A socket that listens, without blocking. It is closed at the end.
    ///   - patience: The time limit of a conversation.
    ///   - admits: Whether the client is accepted.
    /// - Throws: ``AuthorizationError/failed(_:)``, with the socket closed.
    init(
        _ socket: Int32, patience: Duration = .seconds(10), admits: @escaping @Sendable (Int32) -> Bool = { _ in true },
        reply: @escaping Reply
    ) throws(AuthorizationError) {
        var ends: [Int32] = [-1, -1]
        let code = StandardDescriptors.avoid(otherwise: -1 as Int32) { unsafe pipe2(&ends, O_CLOEXEC) }
        stop = ends[1]
        guard code == 0 else {
            close(socket)
            throw .failed(.system("the system has no descriptor left for answers"))
        }
        let run = Self.running(socket, until: ends[0], patience, admits, reply)
        guard BlockingThread.start(run) else {
            close(socket)
            close(ends[0])
            throw .failed(.system("the system creates no more threads"))
        }
    }

    deinit { close(stop) }

    /// The body of the thread. It does not retain the listener.
    private static func running(
        _ socket: Int32, until stopped: Int32, _ patience: Duration, _ admits: @escaping @Sendable (Int32) -> Bool,
        _ reply: @escaping Reply
    ) -> @Sendable () -> Void {
        {
            var conversations: [Conversation] = []
            while wait(for: &conversations, socket, stopped, patience, admits) {
                for index in conversations.indices { proceed(&conversations[index], reply) }
                for ended in conversations where ended.isOver { close(ended.socket) }
                conversations.removeAll(where: \.isOver)
            }
            for descriptor in conversations.map(\.socket) + [socket, stopped] { close(descriptor) }
        }
    }

    /// Waits until there is something to read or a conversation times out, and accepts new ones.
    ///
    /// - Returns: Whether to go on.
    private static func wait(
        for conversations: inout [Conversation], _ socket: Int32, _ stopped: Int32, _ patience: Duration,
        _ admits: (Int32) -> Bool
    ) -> Bool {
        var polled = ([stopped, socket] + conversations.map(\.socket)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let now = Uptime.system.now
        let rest = conversations.map { max(.zero, $0.deadline - now) }.min()
        let milliseconds = rest.map { Int32(clamping: $0.components.seconds * 1000) + 1000 } ?? -1
        guard unsafe poll(&polled, nfds_t(polled.count), milliseconds) >= 0 || errno == EINTR else { return false }
        guard polled[0].revents == 0 else { return false }
        let time = Uptime.system.now
        for index in conversations.indices where conversations[index].deadline <= time {
            conversations[index].isOver = true
        }
        if polled[1].revents != 0 { admit(to: &conversations, socket, time + patience, admits) }
        return true
    }

    private static func admit(
        to conversations: inout [Conversation], _ socket: Int32, _ deadline: Duration, _ admits: (Int32) -> Bool
    ) {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let new = StandardDescriptors.avoid(otherwise: -1) { accept4(socket, nil, nil, flags) }
        guard new >= 0 else {
            // Without descriptors the connection stays, and would be seen again at once.
            if errno == EMFILE || errno == ENFILE { Clocks.system.pause(.milliseconds(100)) }
            return
        }
        guard admits(new) else {
            close(new)
            return
        }
        if conversations.count >= most { close(conversations.removeFirst().socket) }
        conversations.append(Conversation(socket: new, deadline: deadline))
    }

    /// Reads the available input, and answers once it is complete.
    private static func proceed(_ conversation: inout Conversation, _ reply: Reply) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while !conversation.isOver {
            let count = unsafe recv(conversation.socket, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                conversation.isOver = true
                return
            }
            // Input after the reply is read and dropped: otherwise closing the connection may reset it and lose the
            // reply.
            guard !conversation.isAnswered else { continue }
            conversation.heard += bytes.prefix(count)
            guard let answer = reply(conversation.heard) else {
                conversation.isOver = conversation.heard.count > limit
                continue
            }
            conversation.isAnswered = true
            conversation.heard = []
            // Answers are shorter than a socket's buffer.
            _ = unsafe send(conversation.socket, answer.bytes, answer.bytes.count, Int32(MSG_NOSIGNAL))
            shutdown(conversation.socket, Int32(SHUT_WR))
            answer.then()
        }
    }
}
