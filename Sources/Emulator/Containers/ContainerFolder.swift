// SPDX-License-Identifier: Apache-2.0
import APDU
import Containers
import Storage

/// A folder with the files of a container.
package struct ContainerFolder: Sendable {
    /// By the last digit of their identifiers on a token.
    package let files: [UInt8: [UInt8]]

    /// - Throws: ``EmulatorError/folder(_:)`` if a file cannot be read, which others than its owner may read, but not write;
    ///   ``EmulatorError/container(_:)`` if header, masks or primary is missing, or the header is not one.
    package init(path: String) throws(EmulatorError) {
        var files: [UInt8: [UInt8]] = [:]
        for file in ContainerFile.allCases {
            do throws(StorageError) {
                files[file.rawValue] = try TrustedFile.read(
                    "\(path)/\(file.fileName)", limit: ContainerFile.largestSize)
            } catch {
                throw .folder(error)
            }
        }
        for file in [ContainerFile.header, .masks, .primary] where files[file.rawValue] == nil {
            throw .container(.missing(file))
        }
        let header = files[ContainerFile.header.rawValue] ?? []
        do throws(ContainerError) {
            _ = try ContainerHeader(file: header.span)
        } catch {
            throw .container(error)
        }
        self.files = files
    }
}

extension EmulatedCard {
    /// Puts the containers of folders on the card, each in the next directory.
    package func store(_ folders: [ContainerFolder]) throws(EmulatorError) {
        for folder in folders {
            // 3F00 is the root directory.
            let next = stride(from: Self.firstContainer, through: 0x3E00, by: 0x100)
                .first { !containerDirectories.contains($0) }
            guard let next else { throw .refused(.notEnoughMemory) }
            try storeContainer(folder.files, in: next)
        }
    }
}
