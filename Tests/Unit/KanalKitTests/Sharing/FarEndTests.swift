// SPDX-License-Identifier: Apache-2.0
import Foundation
import Locking
import Sharing
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
            var ends: [Int32] = [-1, -1]
            try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let end = ends[0]
            (time, isOver) = (TestTime(), Lock(false))
            far = RemoteEnd(host: "127.0.0.1", port: port, clocks: time.clocks)
            // It blocks, as the test does: both need threads.
            Thread.detachNewThread { [far, isOver] in
                try? far.run(input: end, output: end)
                close(end)
                isOver.withLock { $0 = true }
            }
            share = Peer(descriptor: ends[1])
            reader = Peer(descriptor: accept(listener, nil, nil))
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
            line.reader.send([0x80, 0xCA, 0x47, round])
            #expect(line.share.receive() == [0x02])
            #expect(line.share.receive() == [0x80, 0xCA, 0x47, round])
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
