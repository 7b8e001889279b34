// SPDX-License-Identifier: Apache-2.0
package import Containers

extension Reason {
    /// The reason why the key of a container cannot be used.
    package init(_ fault: ContainerError) {
        switch fault {
        case .missing: self.init(nil, "a file of the key container is missing or empty")
        case .damaged: self.init(nil, "a file of the key container is damaged")
        case .unsupported: self.init(nil, "the key container has a form that is not read")
        case .headerCode: self.init(nil, "the header of the key container is damaged: its code is wrong")
        case .maskCode: self.init(nil, "a mask of the key container is damaged: its code is wrong")
        case .password, .passwordNeeded, .passwordNotNeeded:
            self.init(nil, "the password of the key container is wrong")
        case .key:
            self.init(nil, "the files of the key container hold a different key than its header and certificate state")
        case .failure: self.init(nil, "the key of the container cannot be computed")
        }
    }
}
