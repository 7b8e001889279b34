// SPDX-License-Identifier: Apache-2.0

import Secrets

/// One thread's wait for readers and cards that come and go.
package protocol ReaderWatch: AnyObject {
    /// Notes the present state: changes from now on end the next ``wait(atMost:)``, even if it begins later.
    func note() throws(LinkError)

    /// Waits until something differs from the noted state, without using the processor.
    func wait(atMost limit: Duration) throws(LinkError)
}
