// SPDX-License-Identifier: Apache-2.0
import GOST

/// The name of a container, as its owner knows it, from name.key.
///
/// It is text of an unknown writer: it may have control characters, slashes and dots, and is never a path.
package struct ContainerName: Sendable, Hashable {
    package let text: String

    /// Reads the file: an IA5String by its tag, in fact bytes of the code page 1251, in a SEQUENCE.
    ///
    /// - Parameter file: The bytes of name.key, with filling or without.
    /// - Throws: ``ContainerError/missing(_:)``, ``ContainerError/damaged(_:_:)``.
    package init(file: Span<UInt8>) throws(ContainerError) {
        let element = try ContainerFile.name.element(file)
        do throws(GOSTError) {
            var outer = DERReader(element)
            var contents = try outer.nested(.sequence)
            let bytes = try contents.contents(.ia5String)
            var scalars = String.UnicodeScalarView()
            for index in bytes.indices { scalars.append(Windows1251.scalar(bytes[index])) }
            text = String(scalars)
            // Elements behind the name mean nothing here.
            while !contents.isAtEnd { try contents.skip() }
        } catch {
            throw .damaged(.name, .encoding)
        }
    }
}
