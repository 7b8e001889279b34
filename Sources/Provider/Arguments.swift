import CCryptoki
import Cryptoki

extension Mechanism {
    /// Reads the mechanism that a caller points to.
    init(_ pointer: UnsafeMutablePointer<CK_MECHANISM>?) throws(CKError) {
        let mechanism = try unsafe output(pointer).pointee
        let parameter = unsafe mechanism.pParameter?.assumingMemoryBound(to: UInt8.self)
        do throws(CKError) {
            let bytes = try unsafe octets(parameter, mechanism.ulParameterLen)
            let structure = try unsafe MechanismParameters(mechanism)
            unsafe self.init(type: mechanism.mechanism, parameter: bytes, structure: structure)
        } catch {
            throw .mechanismParameterInvalid
        }
    }
}

extension MechanismParameters {
    /// Reads what a mechanism's parameter points to, where it has the size of a structure with pointers; nil elsewhere.
    fileprivate init?(_ mechanism: CK_MECHANISM) throws(CKError) {
        guard let parameter = unsafe UnsafeRawPointer(mechanism.pParameter) else { return nil }
        let size = unsafe Int(clamping: mechanism.ulParameterLen)
        switch unsafe mechanism.mechanism {
        case CKM_GOSTR3410_DERIVE, CKM_GOSTR3410_12_DERIVE:
            guard unsafe size == MemoryLayout<CK_GOSTR3410_DERIVE_PARAMS>.size else { return nil }
            let agreement = unsafe parameter.loadUnaligned(as: CK_GOSTR3410_DERIVE_PARAMS.self)
            self = try unsafe .agreement(
                AgreementParameters(
                    derivation: agreement.kdf,
                    publicData: octets(agreement.pPublicData, agreement.ulPublicDataLen),
                    ukm: octets(agreement.pUKM, agreement.ulUKMLen)))
        case CKM_GOST_KEG where unsafe size == MemoryLayout<CK_VENDOR_GOST_KEG_PARAMS>.size:
            let agreement = unsafe parameter.loadUnaligned(as: CK_VENDOR_GOST_KEG_PARAMS.self)
            self = try unsafe .agreement(
                AgreementParameters(
                    derivation: CK_ULONG(CKD_NULL),
                    publicData: octets(agreement.pPublicData, agreement.ulPublicDataLen),
                    ukm: octets(agreement.pUKM, agreement.ulUKMLen)))
        case CKM_GOST_KEG, CKM_VKO_GOSTR3410_2012_512, CKM_ECDH1_DERIVE:
            guard unsafe size == MemoryLayout<CK_ECDH1_DERIVE_PARAMS>.size else { return nil }
            let agreement = unsafe parameter.loadUnaligned(as: CK_ECDH1_DERIVE_PARAMS.self)
            self = try unsafe .agreement(
                AgreementParameters(
                    derivation: agreement.kdf,
                    publicData: octets(agreement.pPublicData, agreement.ulPublicDataLen),
                    ukm: octets(agreement.pSharedData, agreement.ulSharedDataLen)))
        case CKM_KDF_TREE_GOSTR3411_2012_256:
            guard unsafe size == MemoryLayout<CK_KDF_TREE_GOST_PARAMS>.size else { return nil }
            let tree = unsafe parameter.loadUnaligned(as: CK_KDF_TREE_GOST_PARAMS.self)
            self = try unsafe .tree(
                KeyTreeParameters(
                    label: octets(tree.pLabel, tree.ulLabelLength),
                    seed: octets(tree.pSeed, tree.ulSeedLength), r: tree.ulR, length: tree.ulL,
                    offset: tree.ulOffset))
        case CKM_GOSTR3410_KEY_WRAP:
            guard unsafe size == MemoryLayout<CK_GOSTR3410_KEY_WRAP_PARAMS>.size else {
                throw .mechanismParameterInvalid
            }
            let transport = unsafe parameter.loadUnaligned(as: CK_GOSTR3410_KEY_WRAP_PARAMS.self)
            var parameters = KeyTransportParameters()
            parameters.wrapOID = try unsafe Array(input(transport.pWrapOID, transport.ulWrapOIDLen))
            parameters.ukm = try unsafe Array(input(transport.pUKM, transport.ulUKMLen))
            parameters.key = unsafe transport.hKey
            self = .transport(parameters)
        case CKM_RSA_PKCS_OAEP:
            guard unsafe size == MemoryLayout<CK_RSA_PKCS_OAEP_PARAMS>.size else { return nil }
            let oaep = unsafe parameter.loadUnaligned(as: CK_RSA_PKCS_OAEP_PARAMS.self)
            let label = unsafe oaep.pSourceData?.assumingMemoryBound(to: UInt8.self)
            self = try unsafe .oaep(
                OAEPParameters(
                    hash: oaep.hashAlg, maskGeneration: oaep.mgf, source: oaep.source,
                    label: octets(label, oaep.ulSourceDataLen)))
        default: return nil
        }
    }
}

extension Attributes {
    /// Reads the template that a caller points to.
    init(_ template: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ count: CK_ULONG) throws(CKError) {
        let template = try unsafe input(template, count, atMost: listLimit)
        try self.init(
            template: template.indices.map { index throws(CKError) in
                do throws(CKError) { return try unsafe read(template[index]) } catch { throw .attributeValueInvalid }
            })
    }
}

/// The most attributes that a template in a template can have, and the most octets of each.
private let (nestedLimit, nestedValueLimit) = (64, 1 << 12)

/// An attribute of a template, which can have a template for its value.
private func read(_ attribute: CK_ATTRIBUTE) throws(CKError) -> (type: CK_ATTRIBUTE_TYPE, value: [UInt8]) {
    let (type, count) = unsafe (attribute.type, attribute.ulValueLen)
    guard Attributes.holdsTemplate(type) else {
        return (type, try unsafe octets(attribute.pValue?.assumingMemoryBound(to: UInt8.self), count))
    }
    let (elements, rest) = unsafe count.quotientAndRemainder(dividingBy: CK_ULONG(MemoryLayout<CK_ATTRIBUTE>.stride))
    guard rest == 0 else { throw .attributeValueInvalid }
    let array = try unsafe input(
        attribute.pValue?.assumingMemoryBound(to: CK_ATTRIBUTE.self), elements, atMost: nestedLimit)
    let template = try Attributes(
        template: array.indices.map { index throws(CKError) in
            let element = unsafe array[index]
            let value = unsafe element.pValue?.assumingMemoryBound(to: UInt8.self)
            return try unsafe (element.type, octets(value, element.ulValueLen, atMost: nestedValueLimit))
        })
    guard let value = template.packed else { throw .attributeValueInvalid }
    return (type, value)
}
