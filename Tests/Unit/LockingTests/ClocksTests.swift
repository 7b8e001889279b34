// SPDX-License-Identifier: Apache-2.0
import Locking
import TestSupport
import Testing

@Suite("Clocks")
struct ClocksTests {
    @Test("a thread that is held up between two clocks sees no suspend", arguments: 1...4)
    func delayed(_ reading: Int) {
        let state = Lock((time: Duration.seconds(1000), readings: 0))
        let clock = Uptime {
            state.withLock { state in
                state.readings += 1
                if state.readings == reading { state.time += .milliseconds(300) }
                return state.time
            }
        }
        let clocks = Clocks(uptime: clock, awake: clock, pause: { _ in })
        #expect(clocks.suspended == .zero)
    }

    @Test("the time of a suspend is the difference of the clocks")
    func suspended() {
        let time = TestTime()
        let before = time.clocks.suspended
        time.suspend(.seconds(60))
        #expect(time.clocks.suspended - before == .seconds(60))
    }
}
