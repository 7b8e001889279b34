// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// The eight substitution rows of GOST 28147-89. They are public.
struct Substitution: BitwiseCopyable, Sendable {
    /// The substitutes of rows K1…K8 for 0, 1, …, F, sixteen bytes for each row.
    let rows: InlineArray<128, UInt8>

    /// The rows of a parameter set.
    init(_ set: gost_sbox_name) {
        let rows = unsafe gost_sbox_set_at(set)?.pointee.rows
        self.rows = InlineArray { index in unsafe rows?[index] ?? 0 }
    }
}
