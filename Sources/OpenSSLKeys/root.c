/* SPDX-License-Identifier: Apache-2.0 */
/* Detects a changed root directory since the engine or provider was loaded. The library shares this code. */
#include "../CProcess/root.c"
