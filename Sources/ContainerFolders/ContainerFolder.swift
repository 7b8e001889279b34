// SPDX-License-Identifier: Apache-2.0
package import Containers
package import Storage

/// Key containers of CryptoPro CSP in folders that the user names. Folders and files must be closed to all others, as
/// Kanal's own secrets are.
package enum ContainerFolder {
    /// The entries of a named folder that are looked at.
    private static let limit = 1024

    /// The folders of containers: the named one, if it is a container, else those in it, sorted.
    ///
    /// - Parameter refused: Is told which folder is not used, and why.
    package static func find(
        _ folder: String, refused: (_ folder: String, StorageError) -> Void
    ) -> [String] {
        let end = folder.lastIndex { $0 != "/" }
        let folder = end.map { String(folder[...$0]) } ?? folder
        do throws(StorageError) {
            let directory = try Directory(reading: folder)
            if try isContainer(directory) { return [directory.path] }
            return try directory.names(limit: limit).filter { name in
                let path = directory.path + "/" + name
                do throws(StorageError) { return try isContainer(Directory(reading: path)) } catch {
                    if !isFile(name, in: directory) { refused(path, error) }
                    return false
                }
            }.map { directory.path + "/" + $0 }
        } catch {
            refused(folder, error)
            return []
        }
    }

    /// Why the header of a container is refused; nil if it can be read.
    package static func refusal(of folder: String) -> ContainerError? {
        let name = ContainerFile.header.fileName
        let file = (try? Directory(reading: folder).read(name, limit: ContainerFile.largestSize)) ?? []
        do throws(ContainerError) {
            _ = try ContainerHeader(file: file.span)
            return nil
        } catch {
            return error
        }
    }

    /// Whether an entry is a file, which is passed over, and not a folder or a link.
    private static func isFile(_ name: String, in directory: Directory) -> Bool {
        do throws(StorageError) {
            _ = try directory.size(of: name)
            return true
        } catch {
            return error != .denied(.otherKind)
        }
    }

    /// Whether a folder has a header.
    ///
    /// - Throws: ``StorageError`` if one of a container's files is not to be read.
    private static func isContainer(_ directory: Directory) throws(StorageError) -> Bool {
        guard try directory.size(of: ContainerFile.header.fileName) != nil else { return false }
        for file in ContainerFile.allCases {
            guard try directory.size(of: file.fileName) ?? 0 <= ContainerFile.largestSize else { throw .tooLarge }
        }
        return true
    }
}
