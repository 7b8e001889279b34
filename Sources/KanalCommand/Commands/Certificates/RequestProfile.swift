// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KanalKit
import Translation

/// The extensions that a certificate needs for a purpose.
enum RequestProfile: String, ExpressibleByArgument, CaseIterable {
    /// A login by Kerberos (PKINIT, RFC 4556).
    case pkinit

    /// The extensions to ask for.
    ///
    /// - Throws: A `ValidationError` without a principal.
    func extensions(for principal: KerberosPrincipal?) throws -> [RequestField] {
        guard let principal else {
            throw ValidationError(translated("--profile pkinit needs --principal, such as ann@EXAMPLE.ORG"))
        }
        return [
            RequestField("keyUsage", "critical,digitalSignature"),
            // id-pkinit-KPClientAuth (RFC 4556, 3.2.2).
            RequestField("extendedKeyUsage", "1.3.6.1.5.2.3.4,clientAuth"),
            RequestField("subjectAltName", der: principal.alternativeName),
        ]
    }
}

extension KerberosPrincipal: ExpressibleByArgument {}
