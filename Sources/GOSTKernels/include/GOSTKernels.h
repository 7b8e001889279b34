/* SPDX-License-Identifier: Apache-2.0 */
/// GOST ciphers, hash functions, signatures and agreements: all headers, which are one module for Swift.
#ifndef GOST_KERNELS_H
#define GOST_KERNELS_H

#include "GOSTCiphers.h"
#include "GOSTSignatures.h"

#endif
