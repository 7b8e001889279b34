// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import Cryptoki
import Glibc
import Secrets
import Tokens

extension Mechanism {
    /// Reads the mechanism that a caller points to.
    init(_ pointer: UnsafeMutablePointer<CK_MECHANISM>?) throws(CKError) {
        let mechanism = try unsafe output(pointer, "pMechanism").pointee
        guard let sizes = unsafe MechanismDefinition.parameterSizes(of: mechanism.mechanism) else {
            unsafe self.init(type: mechanism.mechanism, parameter: [])
            return
        }
        do throws(CKError) {
            let parameter = try unsafe Self.parameter(of: mechanism, sizes)
            let structure = try unsafe MechanismParameters(mechanism)
            unsafe self.init(type: mechanism.mechanism, parameter: parameter, structure: structure)
        } catch {
            let type = unsafe mechanism.mechanism
            throw .mechanismParameterInvalid("the parameter of \(mechanism: type): \(error.reason ?? "")")
        }
    }

    /// The parameter's bytes. The UKM of a key wrap can come in a structure, as the vendor's .NET binding sends it; it
    /// has 8 bytes, and is not read if it is longer.
    private static func parameter(
        of mechanism: CK_MECHANISM, _ sizes: ClosedRange<Int>
    ) throws(CKError) -> [UInt8] {
        if unsafe mechanism.mechanism == CKM_GOST28147_KEY_WRAP,
            let ukm: CK_KEY_DERIVATION_STRING_DATA = unsafe mechanism.structure()
        {
            return try unsafe bytes(ukm.pData, ukm.ulLen, "pData", atMost: 8)
        }
        let parameter = unsafe mechanism.pParameter?.assumingMemoryBound(to: UInt8.self)
        let count = unsafe mechanism.ulParameterLen
        guard count == 0 || sizes.contains(Int(clamping: count)) else {
            throw .argumentsBad(
                sizes.count == 1
                    ? "pParameter has the length \(count), and not \(sizes.lowerBound)"
                    : "pParameter has the length \(count), the most is \(sizes.upperBound)")
        }
        return try unsafe bytes(parameter, count, "pParameter")
    }
}

extension MechanismParameters {
    /// Reads a mechanism's parameter that has the size of a structure with pointers; nil for others.
    fileprivate init?(_ mechanism: CK_MECHANISM) throws(CKError) {
        switch unsafe mechanism.mechanism {
        case CKM_GOSTR3410_DERIVE, CKM_GOSTR3410_12_DERIVE, CKM_GOST_KEG, CKM_VENDOR_GOST_KEG,
            CKM_VKO_GOSTR3410_2012_512, CKM_ECDH1_DERIVE:
            guard let parameters = try unsafe AgreementParameters(mechanism) else { return nil }
            self = .agreement(parameters)
        case CKM_KDF_TREE_GOSTR3411_2012_256:
            guard let tree: CK_KDF_TREE_GOST_PARAMS = unsafe mechanism.structure() else { return nil }
            self = try unsafe .tree(
                KeyTreeParameters(
                    label: bytes(tree.pLabel, tree.ulLabelLength, "pLabel"),
                    seed: bytes(tree.pSeed, tree.ulSeedLength, "pSeed"),
                    r: tree.ulR, length: tree.ulL, offset: tree.ulOffset))
        case CKM_GOSTR3410_KEY_WRAP where unsafe mechanism.pParameter != nil:
            guard let transport: CK_GOSTR3410_KEY_WRAP_PARAMS = unsafe mechanism.structure() else {
                throw .mechanismParameterInvalid("its length is not that of CK_GOSTR3410_KEY_WRAP_PARAMS")
            }
            var parameters = KeyTransportParameters()
            parameters.wrapOID = try unsafe bytes(transport.pWrapOID, transport.ulWrapOIDLen, "pWrapOID")
            parameters.ukm = try unsafe bytes(transport.pUKM, transport.ulUKMLen, "pUKM")
            parameters.key = unsafe transport.hKey
            self = .transport(parameters)
        case CKM_RSA_PKCS_OAEP:
            guard let oaep: CK_RSA_PKCS_OAEP_PARAMS = unsafe mechanism.structure() else { return nil }
            let label = unsafe oaep.pSourceData?.assumingMemoryBound(to: UInt8.self)
            self = try unsafe .oaep(
                OAEPParameters(
                    hash: oaep.hashAlg, maskGeneration: oaep.mgf, source: oaep.source,
                    label: bytes(label, oaep.ulSourceDataLen, "pSourceData")))
        default: return nil
        }
    }
}

extension AgreementParameters {
    /// Reads the structure of an agreement's mechanism, which for KEG can be one of two.
    fileprivate init?(_ mechanism: CK_MECHANISM) throws(CKError) {
        switch unsafe mechanism.mechanism {
        case CKM_GOSTR3410_DERIVE, CKM_GOSTR3410_12_DERIVE:
            guard let given: CK_GOSTR3410_DERIVE_PARAMS = unsafe mechanism.structure() else { return nil }
            try unsafe self.init(
                derivation: given.kdf, publicData: bytes(given.pPublicData, given.ulPublicDataLen, "pPublicData"),
                ukm: bytes(given.pUKM, given.ulUKMLen, "pUKM"))
        case CKM_GOST_KEG where unsafe mechanism.ulParameterLen == MemoryLayout<CK_VENDOR_GOST_KEG_PARAMS>.size,
            CKM_VENDOR_GOST_KEG where unsafe mechanism.ulParameterLen == MemoryLayout<CK_VENDOR_GOST_KEG_PARAMS>.size:
            guard let given: CK_VENDOR_GOST_KEG_PARAMS = unsafe mechanism.structure() else { return nil }
            try unsafe self.init(
                derivation: CK_ULONG(CKD_NULL),
                publicData: bytes(given.pPublicData, given.ulPublicDataLen, "pPublicData"),
                ukm: bytes(given.pUKM, given.ulUKMLen, "pUKM"))
        default:
            guard let given: CK_ECDH1_DERIVE_PARAMS = unsafe mechanism.structure() else { return nil }
            try unsafe self.init(
                derivation: given.kdf, publicData: bytes(given.pPublicData, given.ulPublicDataLen, "pPublicData"),
                ukm: bytes(given.pSharedData, given.ulSharedDataLen, "pSharedData"))
        }
    }
}

extension CK_MECHANISM {
    /// The parameter, if it has the size of the structure.
    fileprivate func structure<Structure: BitwiseCopyable>() -> Structure? {
        guard let parameter = unsafe pParameter, unsafe ulParameterLen == MemoryLayout<Structure>.size else {
            return nil
        }
        return unsafe parameter.loadUnaligned(as: Structure.self)
    }
}

extension Attributes {
    /// Reads the template that a caller points to.
    ///
    /// - Parameter name: The caller's argument.
    init(
        _ template: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ count: CK_ULONG, _ name: StaticString = "pTemplate"
    ) throws(CKError) {
        let template = try unsafe input(template, count, name, atMost: listLimit)
        try self.init(
            template: template.indices.map { index throws(CKError) in
                do throws(CKError) { return try unsafe read(template[index]) } catch {
                    let type = unsafe template[index].type
                    throw .attributeValueInvalid("\(name)[\(index)] \(attribute: type): \(error.reason ?? "")")
                }
            }, name)
    }
}

/// The most attributes that a template in a template can have, and the most bytes of each.
private let (nestedLimit, nestedValueLimit) = (64, 1 << 12)

/// An attribute of a template, which can have a template for its value.
private func read(_ attribute: CK_ATTRIBUTE) throws(CKError) -> (type: CK_ATTRIBUTE_TYPE, value: AttributeValue) {
    let (type, count) = unsafe (attribute.type, attribute.ulValueLen)
    guard Attributes.holdsTemplate(type) else {
        let value = try unsafe input(
            attribute.pValue?.assumingMemoryBound(to: UInt8.self), count, "pValue", atMost: valueLimit)
        // Values of keys are secrets from here on.
        guard Attributes.secrets.contains(type) else { return (type, unsafe .open(Array(value))) }
        return (type, unsafe .secret(SharedSecret(Secret(copying: value.span))))
    }
    let (elements, rest) = unsafe count.quotientAndRemainder(dividingBy: CK_ULONG(MemoryLayout<CK_ATTRIBUTE>.stride))
    guard rest == 0 else { throw .attributeValueInvalid("\(count) bytes are not a whole number of attributes") }
    let array = try unsafe input(
        attribute.pValue?.assumingMemoryBound(to: CK_ATTRIBUTE.self), elements, "pValue", atMost: nestedLimit)
    let template = try Attributes(
        template: array.indices.map { index throws(CKError) in
            let element = unsafe array[index]
            let value = unsafe element.pValue?.assumingMemoryBound(to: UInt8.self)
            return try unsafe (element.type, bytes(value, element.ulValueLen, "pValue", atMost: nestedValueLimit))
        }, "pValue")
    guard let value = template.packed else {
        throw .attributeValueInvalid("a template in a template has a template in it, or a type that has no form")
    }
    return (type, .open(value))
}

/// A place for a result that the library allocates and the caller releases with `C_EX_FreeBuffer`.
@safe
struct AllocatedOutput<Element: BitwiseCopyable> {
    private let buffer: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
    private let count: UnsafeMutablePointer<CK_ULONG>

    /// - Throws: `CKR_ARGUMENTS_BAD` if the place for the result or its length is NULL.
    init(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>?, _ count: UnsafeMutablePointer<CK_ULONG>?,
        _ names: StaticString = "the place for the result or its length"
    ) throws(CKError) {
        unsafe self.buffer = try unsafe output(buffer, names)
        unsafe self.count = try unsafe output(count, names)
    }

    /// - Throws: `CKR_HOST_MEMORY`, with nothing stored.
    func store(_ elements: [Element]) throws(CKError) {
        unsafe buffer.pointee = try unsafe allocated(elements)
        unsafe count.pointee = CK_ULONG(elements.count)
    }

    /// Stores NULL and the count 0. There is nothing to release.
    func storeNothing() {
        unsafe buffer.pointee = nil
        unsafe count.pointee = 0
    }

    /// Releases the stored result.
    func clear() {
        unsafe free(buffer.pointee)
        storeNothing()
    }
}

/// A copy on the C heap, which `free` releases.
///
/// - Throws: `CKR_HOST_MEMORY`.
func allocated<Element: BitwiseCopyable>(_ elements: [Element]) throws(CKError) -> UnsafeMutablePointer<Element> {
    let size = elements.count * MemoryLayout<Element>.stride
    guard let memory = unsafe malloc(max(size, 1)) else { throw CKError(CKR_HOST_MEMORY) }
    let start = unsafe memory.bindMemory(to: Element.self, capacity: elements.count)
    for (index, element) in elements.enumerated() { unsafe start[index] = element }
    return unsafe start
}
