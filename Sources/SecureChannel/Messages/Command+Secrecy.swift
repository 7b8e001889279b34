// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

extension Command {
    /// Whether the data hold a PIN, whose length must not show (GSC/1, 13.2): VERIFY, CHANGE REFERENCE DATA, RESET RETRY
    /// COUNTER, PUT DATA of a default PIN, and a batch with one of them.
    var carriesPIN: Bool {
        if ins == 0x86, p1 == 0x20 || p1 == 0x21 { return batchCarriesPIN }
        return !data.isEmpty && Command.takesPIN(ins, p1, p2)
    }

    private static func takesPIN(_ ins: UInt8, _ p1: UInt8, _ p2: UInt8) -> Bool {
        switch (ins, p1, p2) {
        case (0x20, _, _), (0x24, _, _), (0x2C, _, _), (0xDA, 0x01, 0x61): true
        default: false
        }
    }

    /// Whether a command in the batch (13.4) takes a PIN. Malformed data counts as if it did.
    private var batchCarriesPIN: Bool {
        var rest = data.bytes
        while rest.count >= 2, rest[0] == 0xB0 {
            let isLong = rest[1] == 0x81 && rest.count >= 3
            let head = isLong ? 3 : 2
            let count = Int(isLong ? rest[2] : rest[1])
            guard isLong || rest[1] < 0x80, count >= 4, head + count <= rest.count else { return true }
            if count > 5, Command.takesPIN(rest[head + 1], rest[head + 2], rest[head + 3]) { return true }
            rest = rest.extracting(droppingFirst: head + count)
        }
        return !rest.isEmpty
    }
}
