// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
internal import Synchronization

/// What the kernels need for one curve: its numbers in their form, and a table of multiples of P, 128 KiB at most. It is
/// made when a curve is first used, lives as long as the process and is only read from then on, so that threads share it.
@safe
final class KernelCurve: @unchecked Sendable {
    let pointer: OpaquePointer

    private init?(_ parameters: CurveParameters) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: gost_curve_size(), alignment: 64)
        unsafe pointer = OpaquePointer(memory)
        guard unsafe Self.prepare(pointer, parameters) else {
            unsafe memory.deallocate()
            return nil
        }
    }

    /// The curve of a parameter set.
    ///
    /// - Throws: ``GOSTError/libraryFailure`` if there is no arithmetic for it; there is for all of ``Curve/all``.
    static func of(_ curve: Curve) throws(GOSTError) -> KernelCurve {
        guard let made = all[curve.parameters.q]?.curve() else { throw .libraryFailure }
        return made
    }

    /// Parameter sets that differ in the identifier alone share a curve.
    private static let all = Dictionary(
        Curve.all.map { ($0.parameters.q, Lazy($0.parameters)) }, uniquingKeysWith: { first, _ in first })

    /// A curve that is made when it is first asked for.
    private final class Lazy: Sendable {
        private let parameters: CurveParameters
        private let made = Mutex<KernelCurve?>(nil)

        init(_ parameters: CurveParameters) { self.parameters = parameters }

        func curve() -> KernelCurve? {
            made.withLock { made in
                if made == nil { made = KernelCurve(parameters) }
                return made
            }
        }
    }

    private static func prepare(_ curve: OpaquePointer, _ parameters: CurveParameters) -> Bool {
        let isMinus3 = parameters.a == parameters.p.dropLast() + [(parameters.p.last ?? 0) &- 3]
        let form: gost_form = parameters.d != nil ? .edwards : isMinus3 ? .minus_3 : .any
        let size = parameters.p.count
        let numbers = [
            parameters.p, parameters.a, parameters.b, parameters.q, parameters.x, parameters.y,
            parameters.d ?? [UInt8](repeating: 0, count: size),
        ]
        let octets = numbers.flatMap { $0.reversed() }
        return unsafe octets.withUnsafeBufferPointer { octets in
            guard let start = octets.baseAddress, octets.count == 7 * size else { return false }
            var numbers = unsafe gost_curve_numbers(
                form: form, size: size, p: start, a: start + size, b: start + 2 * size, q: start + 3 * size,
                x: start + 4 * size, y: start + 5 * size, d: start + 6 * size)
            return unsafe gost_curve_prepare(curve, &numbers)
        }
    }
}
