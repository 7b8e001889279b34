// SPDX-License-Identifier: Apache-2.0
extension SESPAKE {
    /// The input of both sides' MACs (RFC 8133, 4.3, steps 20, 23, 25 and 28). All of it is public.
    package struct Transcript: Sendable, Equatable {
        /// ID_A and ID_B.
        package let identifierA, identifierB: [UInt8]
        /// ind, the number of the point Q_ind as it is sent.
        package let index: [UInt8]
        package let salt: [UInt8]
        /// The public values: X ‖ Y, both little-endian.
        package let u1, u2: [UInt8]
        /// ID_ALG, empty if the sides have agreed on it in advance and leave it out.
        package let algorithm: [UInt8]

        package init(
            identifierA: [UInt8], identifierB: [UInt8], index: [UInt8] = [1], salt: [UInt8], u1: [UInt8], u2: [UInt8],
            algorithm: [UInt8] = []
        ) {
            self.identifierA = identifierA
            self.identifierB = identifierB
            self.index = index
            self.salt = salt
            self.u1 = u1
            self.u2 = u2
            self.algorithm = algorithm
        }

        private var common: [UInt8] { index + salt + u1 + u2 + algorithm }

        /// The message of MAC_A: 01 ‖ ID_A ‖ ind ‖ salt ‖ u_1 ‖ u_2 ‖ ID_ALG ‖ DATA_A.
        package func messageA(data: [UInt8] = []) -> [UInt8] {
            [1] + identifierA + common + data
        }

        /// The message of MAC_B: 02 ‖ ID_B ‖ ind ‖ salt ‖ u_1 ‖ u_2 ‖ ID_ALG ‖ DATA_A ‖ DATA_B.
        package func messageB(dataA: [UInt8] = [], dataB: [UInt8] = []) -> [UInt8] {
            [2] + identifierB + common + dataA + dataB
        }
    }
}
