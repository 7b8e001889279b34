import CCryptoki
import Cryptoki

extension Mechanism {
    /// Reads the mechanism that a caller points to.
    init(_ pointer: UnsafeMutablePointer<CK_MECHANISM>?) throws(CKError) {
        let mechanism = try unsafe output(pointer).pointee
        let parameter = unsafe mechanism.pParameter?.assumingMemoryBound(to: UInt8.self)
        do throws(CKError) {
            let bytes = try unsafe Array(input(parameter, mechanism.ulParameterLen))
            unsafe self.init(type: mechanism.mechanism, parameter: bytes)
        } catch {
            throw .mechanismParameterInvalid
        }
    }
}

extension Attributes {
    /// Reads the template that a caller points to.
    init(_ template: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ count: CK_ULONG) throws(CKError) {
        let template = try unsafe input(template, count)
        var attributes: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = []
        for index in template.indices {
            let attribute = unsafe template[index]
            let value = unsafe attribute.pValue?.assumingMemoryBound(to: UInt8.self)
            do throws(CKError) {
                attributes.append(unsafe (attribute.type, Array(try input(value, attribute.ulValueLen))))
            } catch {
                throw .attributeValueInvalid
            }
        }
        try self.init(template: attributes)
    }
}
