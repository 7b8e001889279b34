// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// CTR-ACPKM (R 1323565.1.017-2018; RFC 8645, 6.2.2), the same in both directions.
final class RekeyedCounter<Cipher: GOSTBlockCipher & ~Copyable>: CipherState {
    private var mode: CTRACPKM<Cipher>
    let granularity: Int? = 1

    init(key: Span<UInt8>, iv: Span<UInt8>, section: Int) throws(GOSTError) {
        mode = try CTRACPKM<Cipher>(key: key, iv: iv, section: section)
    }

    func process(_ data: Span<UInt8>) -> Secret { mode.update(data) }
}
