/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the root directory is the one that the engine or provider was loaded from. The library has the same.
 */
#include "../CProcess/root.c"
