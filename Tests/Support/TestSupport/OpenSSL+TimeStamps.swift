// SPDX-License-Identifier: Apache-2.0

extension OpenSSL {
    /// Writes the settings of an authority for time stamps to tsa.cnf. Its key and certificate are in tsa.key and tsa.pem.
    ///
    /// - Parameters:
    ///   - hash: The hash function of its signatures.
    ///   - further: Further lines.
    package func configureStamps(_ hash: String, _ further: String) throws {
        let settings = """
            [tsa]
            default_tsa = own
            [own]
            serial = tsa.serial
            signer_cert = tsa.pem
            signer_key = tsa.key
            signer_digest = \(hash)
            default_policy = 1.2.3.4.1
            other_policies = 1.2.3.4.5
            digests = sha256, md_gost12_256, md_gost12_512
            \(further)

            """
        try write(Array(settings.utf8), "tsa.cnf")
    }

    /// The authority's reply to a query, which is in the file "reply", too.
    package func stamp(_ query: [UInt8]) throws -> [UInt8] {
        try write(query, "query")
        try run("ts -reply -config tsa.cnf -queryfile query -out reply")
        return try read("reply")
    }
}
