// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels

extension Counter {
    /// Lends the counter to a kernel, which counts on.
    mutating func withKernel(_ body: (UnsafeMutablePointer<gost_counter>) -> Bool) -> Bool {
        let part: gost_part =
            switch part {
            case .whole: .whole
            case .left: .left
            case .right: .right
            }
        var counter = gost_counter(left: left, right: right, part: part)
        let done = unsafe body(&counter)
        (left, right) = (counter.left, counter.right)
        return done
    }
}
