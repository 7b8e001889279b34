// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
internal import Glibc
internal import Synchronization

/// The kernels' data for one curve: its numbers in their form, and where multiples of P are computed a table of these,
/// 128 KiB at most. It is made when it is first used, lives as long as the process and is only read from then on, so
/// that threads share it.
@safe
final class KernelCurve: @unchecked Sendable {
    let pointer: OpaquePointer

    /// - Throws: ``GOSTError/outOfMemory``; ``GOSTError/libraryFailure`` if the kernels do not support the numbers.
    private init(_ parameters: CurveParameters, hasTable: Bool) throws(GOSTError) {
        let size = gost_curve_size(hasTable)
        let memory: UnsafeMutableRawPointer
        if hasTable {
            // Swift ends the process where its heap gets no memory, and the library's heap has a reserve, which is for
            // calls that cannot end without it.
            let table = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let table = unsafe table, unsafe table != MAP_FAILED else { throw .outOfMemory }
            unsafe memory = table
        } else {
            unsafe memory = .allocate(byteCount: size, alignment: 64)
        }
        unsafe pointer = OpaquePointer(memory)
        guard unsafe Self.prepare(pointer, parameters, hasTable) else {
            throw .libraryFailure
        }
    }

    /// The curve of a parameter set, without the table.
    ///
    /// - Throws: ``GOSTError/libraryFailure`` if the kernels do not support it; they support all of ``Curve/all``.
    static func of(_ curve: Curve) throws(GOSTError) -> KernelCurve {
        try made(curve).plain.curve()
    }

    /// The same with the table.
    ///
    /// - Throws: ``GOSTError/outOfMemory`` as well; the next call tries again.
    static func withTable(_ curve: Curve) throws(GOSTError) -> KernelCurve {
        try made(curve).tabled.curve()
    }

    private static func made(_ curve: Curve) throws(GOSTError) -> (plain: Lazy, tabled: Lazy) {
        guard let made = all[curve.parameters.q] else { throw .libraryFailure }
        return made
    }

    /// Parameter sets that differ in the identifier alone share a curve.
    private static let all = Dictionary(
        Curve.all.map {
            ($0.parameters.q, (Lazy($0.parameters, hasTable: false), Lazy($0.parameters, hasTable: true)))
        }, uniquingKeysWith: { first, _ in first })

    /// A curve that is made when it is first asked for.
    private final class Lazy: Sendable {
        private let parameters: CurveParameters
        private let hasTable: Bool
        private let made = Mutex<KernelCurve?>(nil)

        init(_ parameters: CurveParameters, hasTable: Bool) {
            self.parameters = parameters
            self.hasTable = hasTable
        }

        func curve() throws(GOSTError) -> KernelCurve {
            try made.withLock { made throws(GOSTError) in
                if let made { return made }
                let curve = try KernelCurve(parameters, hasTable: hasTable)
                made = curve
                return curve
            }
        }
    }

    private static func prepare(_ curve: OpaquePointer, _ parameters: CurveParameters, _ hasTable: Bool) -> Bool {
        let isMinus3 = parameters.a == parameters.p.dropLast() + [(parameters.p.last ?? 0) &- 3]
        let form: gost_form = parameters.d != nil ? .edwards : isMinus3 ? .minus_3 : .any
        let size = parameters.p.count
        let numbers = [
            parameters.p, parameters.a, parameters.b, parameters.q, parameters.x, parameters.y,
            parameters.d ?? [UInt8](repeating: 0, count: size),
        ]
        let bytes = numbers.flatMap { $0.reversed() }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress, bytes.count == 7 * size else { return false }
            var numbers = unsafe gost_curve_numbers(
                form: form, size: size, p: start, a: start + size, b: start + 2 * size, q: start + 3 * size,
                x: start + 4 * size, y: start + 5 * size, d: start + 6 * size)
            return unsafe gost_curve_prepare(curve, &numbers, hasTable)
        }
    }
}

extension Curve {
    /// Lends the parameter set and its curve with the table to a kernel.
    ///
    /// - Throws: ``GOSTError/outOfMemory``; ``GOSTError/libraryFailure``.
    func withDomain<Result>(_ body: (UnsafePointer<gost_domain>) -> Result) throws(GOSTError) -> Result {
        let kernel = try KernelCurve.withTable(self)
        let set = unsafe oid.span.withUnsafeBufferPointer { unsafe gost_curve_set_of($0.baseAddress, $0.count) }
        guard let set = unsafe set else { throw .libraryFailure }
        let domain = unsafe gost_domain(path: Instructions.current.path, set: set, curve: kernel.pointer)
        return unsafe withUnsafePointer(to: domain, body)
    }
}
