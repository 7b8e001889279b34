// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Cancellation of threads (pthread_cancel(3)). A thread that ends in the middle of Swift code releases nothing that it
/// holds: neither locks nor memory nor the reader.
package enum Cancellation {
    /// Runs `body` without cancellation. A request during that takes effect where the thread next allows it.
    package static func withheld<Result>(_ body: () -> Result) -> Result {
        var before: Int32 = 0
        unsafe pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &before)
        let result = body()
        pthread_setcancelstate(before, nil)
        return result
    }
}
