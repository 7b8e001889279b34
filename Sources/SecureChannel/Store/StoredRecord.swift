// SPDX-License-Identifier: Apache-2.0

import GOST

/// A record, and the token's label where it is kept with it.
struct StoredRecord {
    var record: PairingRecord
    var label = ""
}
