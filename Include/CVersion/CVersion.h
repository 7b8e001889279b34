/* SPDX-License-Identifier: Apache-2.0 */
// The version of Kanal, the only place where it is written: C_GetInfo, "kanal-emulator --version", pkg-config and the man
// pages take it from here.
#ifndef CVERSION_H
#define CVERSION_H

#define KANAL_VERSION_MAJOR 0
#define KANAL_VERSION_MINOR 1
#define KANAL_VERSION_PATCH 0

#endif
