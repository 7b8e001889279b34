/* SPDX-License-Identifier: Apache-2.0 */
// The functions of libxml2 that are called, in every version from 2.9 on.
#ifndef CXML_FUNCTIONS_H
#define CXML_FUNCTIONS_H

#include <libxml/c14n.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

#define FUNCTIONS(FUNCTION) \
    FUNCTION(xmlInitParser) FUNCTION(xmlNewParserCtxt) FUNCTION(xmlFreeParserCtxt) FUNCTION(xmlCtxtReadMemory) \
    FUNCTION(xmlCtxtGetLastError) FUNCTION(xmlFreeDoc) FUNCTION(xmlDocGetRootElement) FUNCTION(xmlDocCopyNode) \
    FUNCTION(xmlAddChild) FUNCTION(xmlAddPrevSibling) FUNCTION(xmlFreeNode) FUNCTION(xmlNewDocText) \
    FUNCTION(xmlUnlinkNode) FUNCTION(xmlC14NExecute) FUNCTION(xmlOutputBufferCreateIO) \
    FUNCTION(xmlOutputBufferClose) FUNCTION(xmlSetStructuredErrorFunc)

// Each under its own name, with the type that the header of libxml2 states.
struct libxml2 {
#define FUNCTION(name) __typeof__(name) *name;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
};

// NULL unless libxml2 was found with all of them.
__attribute__((visibility("hidden"))) const struct libxml2 *libxml2(void);

#endif
