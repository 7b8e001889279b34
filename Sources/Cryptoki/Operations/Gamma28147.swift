// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The gamma mode (CNT) without key meshing: the mode of the test parameter set (RFC 4357, 8.1).
final class Gamma28147: CipherState {
    private var mode: GOST28147CNT
    let granularity: Int? = 1

    init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox) throws(GOSTError) {
        mode = try GOST28147CNT(key: key, iv: iv, sBox: sBox, meshing: false)
    }

    func process(_ data: Span<UInt8>) -> Secret { mode.apply(data) }
}
