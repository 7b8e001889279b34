// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// libcrypto refused a computation: a number is out of range or not prime, or memory ran out.
struct LibraryFailure: Error {}
