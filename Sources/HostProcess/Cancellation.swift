// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Cancellation of threads (pthread_cancel(3)). A thread that ends in the middle of Swift code gives nothing back that it
/// holds: neither locks nor memory nor the reader.
package enum Cancellation {
    /// Runs `body`, which no cancellation ends. One that is asked for in that time comes where the thread next allows it.
    package static func withheld<Result>(_ body: () -> Result) -> Result {
        var before: Int32 = 0
        unsafe pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &before)
        let result = body()
        pthread_setcancelstate(before, nil)
        return result
    }
}
