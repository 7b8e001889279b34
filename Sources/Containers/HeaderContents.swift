// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The elements of header.key, without a judgement (Containers, 3).
struct HeaderContents {
    /// The object identifier of the form, in DER.
    let form: [UInt8]
    private(set) var flags: Flags?
    private(set) var keys: [KeyContents?] = [nil, nil]
    private(set) var passwordCode: [UInt8]?
    private(set) var certificates: [[UInt8]?] = [nil, nil]
    private(set) var fingerprints: [[UInt8]?] = [nil, nil]
    private(set) var periods: [[UInt8]: ContainedKey.Period] = [:]

    /// The one form that is read, "V2 full".
    static let knownForm: [UInt8] = [0x06, 0x08, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x25, 0x02, 0x01]

    /// Reads the contents. Elements that are not known are passed over. A form that is not known ends the reading, as
    /// what follows is of that form.
    init(_ contents: Span<UInt8>) throws(GOSTError) {
        var reader = DERReader(contents)
        var form = try reader.nested(.context0)
        self.form = try form.objectIdentifier()
        guard self.form == Self.knownForm else { return }
        try form.end()
        while !reader.isAtEnd { try read(&reader) }
    }

    private mutating func read(_ reader: inout DERReader) throws(GOSTError) {
        if reader.isAt(.bitString), flags == nil {
            flags = try Flags(reader.contents(.bitString))
        } else if reader.isAt(.sequence), keys[0] == nil {
            keys[0] = try KeyContents(reader.contents(.sequence))
        } else if reader.isAt(.context4) {
            try Self.set(&keys[1], KeyContents(reader.contents(.context4)))
        } else if reader.isAt(.contextPrimitive2) {
            try Self.set(&passwordCode, reader.bytes(.contextPrimitive2))
        } else if reader.isAt(.contextPrimitive5) {
            try Self.set(&certificates[0], reader.bytes(.contextPrimitive5))
        } else if reader.isAt(.contextPrimitive6) {
            try Self.set(&certificates[1], reader.bytes(.contextPrimitive6))
        } else if reader.isAt(.contextPrimitive10) {
            try Self.set(&fingerprints[0], reader.bytes(.contextPrimitive10))
        } else if reader.isAt(.contextPrimitive11) {
            try Self.set(&fingerprints[1], reader.bytes(.contextPrimitive11))
        } else if reader.isAt(.context12) {
            var extensions = try reader.nested(.context12)
            while !extensions.isAtEnd { try readExtension(&extensions) }
        } else {
            try reader.skip()
        }
    }

    /// Sets an element that may be there once.
    private static func set<Value>(_ place: inout Value?, _ value: Value) throws(GOSTError) {
        guard place == nil else { throw .invalidEncoding }
        place = value
    }

    private mutating func readExtension(_ reader: inout DERReader) throws(GOSTError) {
        var fields = try reader.nested(.sequence)
        let name = try fields.objectIdentifier()
        let value = try fields.contents(.octetString)
        try fields.end()
        guard ContainedKey.Role.allCases.contains(where: { $0.periodExtension == name }) else { return }
        periods[name] = try ContainedKey.Period(value)
    }
}

/// Bits of a BIT STRING.
struct Flags {
    private let bytes: [UInt8]

    init(_ contents: Span<UInt8>) throws(GOSTError) {
        guard !contents.isEmpty, contents[0] < 8, contents.count > 1 || contents[0] == 0 else { throw .invalidEncoding }
        bytes = [UInt8](copying: contents.extracting(droppingFirst: 1))
    }

    func contains(_ bit: Int) -> Bool {
        bytes.indices.contains(bit / 8) && bytes[bit / 8] & 0x80 >> UInt8(truncatingIfNeeded: bit % 8) != 0
    }
}

/// The description of one key.
struct KeyContents {
    let flags: Flags
    /// The algorithm, its parameters, and the object identifier that it goes by.
    let identifier: AlgorithmIdentifier?
    let oid: [UInt8]

    init(_ contents: Span<UInt8>) throws(GOSTError) {
        var reader = DERReader(contents)
        flags = try Flags(reader.contents(.bitString))
        // The tag replaces the SEQUENCE's.
        let element = DERTag.sequence.element([UInt8](copying: try reader.contents(.context0)))
        while !reader.isAtEnd { try reader.skip() }
        var outer = DERReader(element.span)
        var fields = try outer.nested(.sequence)
        oid = try fields.objectIdentifier()
        identifier = try Self.identifier(element)
    }

    /// nil for parameters that are not known.
    private static func identifier(_ element: [UInt8]) throws(GOSTError) -> AlgorithmIdentifier? {
        var reader = DERReader(element.span)
        do { return try AlgorithmIdentifier(&reader, isOfPrivateKey: true) } catch {
            guard error == .invalidParameter else { throw error }
            return nil
        }
    }
}

extension ContainedKey.Role {
    /// The object identifier of the extension that has the period of a key, in DER.
    var periodExtension: [UInt8] {
        [0x06, 0x08, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x25, 0x03, self == .signature ? 0x09 : 0x0A]
    }
}

extension ContainedKey.Period {
    /// Reads the value of an extension. Times of another form count as missing.
    init(_ value: Span<UInt8>) throws(GOSTError) {
        var outer = DERReader(value)
        var reader = try outer.nested(.sequence)
        try outer.end()
        begin = reader.isAt(.contextPrimitive0) ? Self.text(try reader.contents(.contextPrimitive0)) : nil
        end = reader.isAt(.contextPrimitive1) ? Self.text(try reader.contents(.contextPrimitive1)) : nil
        try reader.end()
    }

    private static func text(_ time: Span<UInt8>) -> String? {
        guard time.count == 15, time[14] == UInt8(ascii: "Z") else { return nil }
        let bytes = [UInt8](copying: time)
        guard bytes.dropLast().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
