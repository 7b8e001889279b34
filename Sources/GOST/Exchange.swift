/// Exchanges the bits of `high` at `mask` with those of `low` at `mask` shifted by `shift` places: the step from which
/// transpositions of bits and octets are made. Constant time.
@inline(__always)
func exchange<Words: SIMD>(_ low: inout Words, _ high: inout Words, shift: UInt64, mask: UInt64)
where Words.Scalar == UInt64 {
    let difference = ((low &>> Words(repeating: shift)) ^ high) & Words(repeating: mask)
    high ^= difference
    low ^= difference &<< Words(repeating: shift)
}
