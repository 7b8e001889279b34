// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("The far end of a share's tunnel")
struct FarEndTests {
    private static let atr: [UInt8] = [0x3B, 0x8B, 0x01]

    /// A far end between a reader and a share.
    private struct Line: ~Copyable {
        let reader: Peer
        let share: Peer
        let time: TestTime
        let far: RemoteEnd
        let isOver: Lock<Bool>

        init() throws {
            let (listener, port) = try Peer.listener()
            defer { close(listener) }
            let (end, other) = try Peer.pair()
            (time, isOver) = (TestTime(), Lock(false))
            far = RemoteEnd(host: "127.0.0.1", port: port, clocks: time.clocks)
            // It blocks, as the test does: both need threads.
            Thread.detachNewThread { [far, isOver] in
                try? far.run(input: end.descriptor, output: end.descriptor)
                close(end.descriptor)
                isOver.withLock { $0 = true }
            }
            share = other
            reader = Peer(descriptor: accept(listener, nil, nil))
            // The far end hands out long answers.
            #expect(share.receive() == [0x05])
        }

        deinit {
            close(reader.descriptor)
            close(share.descriptor)
        }

        /// The reader learns of the card.
        func begin() {
            reader.send([0x01])
            #expect(share.receive() == [0x01])
            reader.send([0x04])
            #expect(share.receive() == [0x04])
            share.send(FarEndTests.atr)
            #expect(reader.receive() == FarEndTests.atr)
        }
    }

    @Test("the reader's questions for the card are answered there, and its commands by the share, in their order")
    func questions() throws {
        let line = try Line()
        line.begin()
        for round in 0..<3 as Range<UInt8> {
            line.reader.send([0x04])
            #expect(line.reader.receive() == Self.atr)
            #expect(!line.share.isReadable)
            line.reader.send([0x02])
            line.reader.send([0x80, 0xCA, 0x47, round, 0x00])
            #expect(line.share.receive() == [0x02])
            #expect(line.share.receive() == [0x80, 0xCA, 0x47, round, 0x00])
            line.share.send([round, 0x90, 0x00])
            #expect(line.reader.receive() == [round, 0x90, 0x00])
        }
        shutdown(line.share.descriptor, Int32(SHUT_RDWR))
        #expect(line.reader.receive() == nil)
    }

    @Test("the share is asked whether it is there, and no command waits for its answer")
    func life() throws {
        let line = try Line()
        line.begin()
        line.time.pass(.seconds(2))
        line.reader.send([0x04])
        #expect(line.reader.receive() == Self.atr)
        #expect(line.share.receive() == [0x04])
        line.reader.send([0x80, 0xCA, 0x47, 0x00])
        #expect(line.share.receive() == [0x80, 0xCA, 0x47, 0x00])
        line.share.send(Self.atr)
        line.share.send([0x90, 0x00])
        #expect(line.reader.receive() == [0x90, 0x00])

        // A user of the share's machine may be asked for long. A share that is gone says nothing at all.
        line.reader.send([0x80, 0xCA, 0x47, 0x01])
        #expect(line.share.receive() == [0x80, 0xCA, 0x47, 0x01])
        line.time.pass(.seconds(100))
        line.share.send([0x6A, 0x88])
        #expect(line.reader.receive() == [0x6A, 0x88])
        #expect(line.share.receive() == [0x04])
        line.time.pass(.seconds(10))
        #expect(line.reader.receive() == nil)
        #expect(line.share.receive() == nil)
    }

    private static let fetch: [UInt8] = [0x00, 0xC0, 0x00, 0x00, 0x00]
    private static let long = (0..<600).map { UInt8(truncatingIfNeeded: $0) }

    /// The reader sends a command, and gets the first piece of an answer that has more than the command allows.
    private static func beginLong(_ line: borrowing Line) {
        line.begin()
        let command: [UInt8] = [0x0C, 0xB0, 0x00, 0x00, 0x02, 0x8E, 0x00, 0x00]
        line.reader.send(command)
        #expect(line.share.receive() == command)
        line.share.send(long + [0x62, 0x82])
        #expect(line.reader.receive() == long[..<256] + [0x61, 0x00])
    }

    @Test("an answer that the share gives whole goes to the reader in pieces, of which the share is not asked")
    func pieces() throws {
        let line = try Line()
        Self.beginLong(line)
        line.reader.send([0x04])
        #expect(line.reader.receive() == Self.atr)
        line.reader.send(Self.fetch)
        #expect(line.reader.receive() == Self.long[256..<512] + [0x61, 88])
        line.reader.send(Self.fetch.dropLast() + [0x20])
        #expect(line.reader.receive() == Self.long[512..<544] + [0x61, 56])
        line.reader.send(Self.fetch.dropLast() + [56])
        #expect(line.reader.receive() == Self.long[544...] + [0x62, 0x82])
        #expect(!line.share.isReadable)
        // The share refuses this one.
        line.reader.send(Self.fetch)
        #expect(line.share.receive() == Self.fetch)
        line.share.send([0x69, 0x85])
        #expect(line.reader.receive() == [0x69, 0x85])
    }

    @Test(
        "anything else that the reader sends discards the rest of the answer",
        arguments: [
            [0x00], [0x01], [0x02], [0x01, 0xC0, 0x00, 0x00, 0x00], [0x00, 0xC0, 0x01, 0x00, 0x00],
            [0x00, 0xC0, 0x00, 0x00], [0x00, 0xC0, 0x00, 0x00, 0x01, 0x00, 0x00], [0x80, 0xCA, 0x47, 0x00, 0x00],
            [0x00, 0x00], [0x0C, 0xC0, 0x00, 0x00, 0x00],
        ] as [[UInt8]])
    func discarded(_ frame: [UInt8]) throws {
        let line = try Line()
        Self.beginLong(line)
        line.reader.send(frame)
        #expect(line.share.receive() == frame)
        if frame.count > 1 {
            line.share.send([0x69, 0x85])
            #expect(line.reader.receive() == [0x69, 0x85])
        }
        line.reader.send(Self.fetch)
        #expect(line.share.receive() == Self.fetch)
    }

    @Test("answers of a share that gives them in pieces pass as they come")
    func older() throws {
        let line = try Line()
        line.begin()
        line.reader.send(Self.fetch)
        #expect(line.share.receive() == Self.fetch)
        line.share.send(Self.long[..<256] + [0x61, 0x10])
        #expect(line.reader.receive() == Self.long[..<256] + [0x61, 0x10])
        line.reader.send(Self.fetch)
        #expect(line.share.receive() == Self.fetch)
        line.share.send([1, 2, 3, 0x90, 0x00])
        #expect(line.reader.receive() == [1, 2, 3, 0x90, 0x00])
    }

    @Test("of an answer that breaks off the reader gets nothing, and of one whose share is gone no more")
    func broken() throws {
        let line = try Line()
        line.begin()
        line.reader.send(Self.fetch)
        #expect(line.share.receive() == Self.fetch)
        #expect(line.share.write([0x02, 0x5A] + Self.long[..<300]))
        line.share.end()
        #expect(line.reader.receive() == nil)

        let other = try Line()
        Self.beginLong(other)
        other.share.end()
        #expect(other.reader.receive() == nil)
    }

    @Test("a reader that does not wait for its answer gets no rest of it")
    func overtaken() throws {
        let line = try Line()
        line.begin()
        line.reader.send(Self.fetch)
        line.reader.send([0x80, 0xCA, 0x47, 0x00, 0x00])
        #expect(line.share.receive() == Self.fetch)
        #expect(line.share.receive() == [0x80, 0xCA, 0x47, 0x00, 0x00])
        line.share.send(Self.long + [0x90, 0x00])
        #expect(line.reader.receive() == Self.long[..<256] + [0x61, 0x00])
        line.reader.send(Self.fetch)
        #expect(line.share.receive() == Self.fetch)
    }

    /// A share that reads, and one that has stopped to.
    @Test("it ends when it is cancelled while the reader floods it", arguments: [true, false])
    func flood(isRead: Bool) throws {
        let line = try Line()
        let (reader, share, isOver) = (line.reader.descriptor, line.share.descriptor, line.isOver)
        Thread.detachNewThread {
            let frames = [UInt8](repeating: 0, count: 999).enumerated().map { [0, 1, 2][$0.offset % 3] as UInt8 }
            while unsafe !isOver.withLock({ $0 }) && send(reader, frames, frames.count, Int32(MSG_NOSIGNAL)) > 0 {}
        }
        if isRead {
            Thread.detachNewThread {
                var bytes = [UInt8](repeating: 0, count: 4096)
                while unsafe read(share, &bytes, bytes.count) > 0 {}
            }
        }
        // Time for a share that does not read to be full.
        poll(nil, 0, 200)
        #expect(!isOver.withLock { $0 })
        line.far.cancel()
        for _ in 0..<100 where !isOver.withLock({ $0 }) { poll(nil, 0, 20) }
        #expect(isOver.withLock { $0 })
    }

    @Test("a reader that asks without waiting for answers ends it")
    func haste() throws {
        let line = try Line()
        for _ in 0..<17 { line.reader.send([0x80, 0xCA, 0x47, 0x00]) }
        for _ in 0..<16 { #expect(line.share.receive() == [0x80, 0xCA, 0x47, 0x00]) }
        #expect(line.share.receive() == nil)
    }

    @Test("an answer that nobody has asked for ends it")
    func surplus() throws {
        let line = try Line()
        line.begin()
        line.share.send([0x90, 0x00])
        #expect(line.reader.receive() == nil)
        #expect(line.share.receive() == nil)
    }
}
