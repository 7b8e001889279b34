// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import CProcess
import Glibc

/// Cancellation of threads (pthread_cancel(3)). A thread that ends in the middle of Swift code releases nothing that it
/// holds: neither locks nor memory nor the reader.
package struct Cancellation {
    private let before: Int32

    /// Withholds cancellation of this thread until ``restore()``. A request during that time has its effect where the thread
    /// next allows it.
    package static func withhold() -> Cancellation {
        var before: Int32 = 0
        unsafe pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &before)
        return Cancellation(before: before)
    }

    package func restore() { pthread_setcancelstate(before, nil) }
}
