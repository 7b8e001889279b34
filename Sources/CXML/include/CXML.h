/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CXML_H
#define CXML_H

#include <stddef.h>
#include <stdint.h>

/* XML documents by the libxml2 that the machine has, loaded when it is first needed: one file serves on systems with
   libxml2.so.2 and with libxml2.so.16, and a program that never reads XML has no part of it. Nothing here resolves an entity,
   reads a DTD or opens a file or a connection.

   Nodes belong to their document. A document is for one thread at a time. */

typedef struct CXMLDocument CXMLDocument;
typedef struct CXMLNode CXMLNode;
typedef struct CXMLAttribute CXMLAttribute;

/* Whether libxml2 is there. It is loaded now, if it was not. */
int CXML_load(void);

/* Reads a document in memory.

   On failure NULL, and a text of at most `room` bytes with its NUL in `message`: empty if memory is missing. `line` is
   where. */
CXMLDocument *CXML_parse(const uint8_t *bytes, size_t count, char *message, size_t room, int *line);
void CXML_free(CXMLDocument *document);

/* Whether the document has a document type declaration. */
int CXML_has_type(const CXMLDocument *document);
CXMLNode *CXML_root(const CXMLDocument *document);

enum CXMLKind { CXML_ELEMENT, CXML_TEXT, CXML_COMMENT, CXML_INSTRUCTION, CXML_OTHER };
enum CXMLKind CXML_kind(const CXMLNode *node);
/* NULL above the root. */
CXMLNode *CXML_parent(const CXMLNode *node);
CXMLNode *CXML_child(const CXMLNode *node);
CXMLNode *CXML_next(const CXMLNode *node);
/* The next element in the order of the document, below `top` or `top` itself; NULL behind the last one. */
CXMLNode *CXML_next_element(const CXMLNode *node, const CXMLNode *top);
/* The next element, in the same order, that may be a signature, include another document, or have an identifier: most have an
   attribute of that name, and no others are passed over. */
CXMLNode *CXML_next_marked(const CXMLNode *node, const CXMLNode *top);
/* Of an element. The namespace's name is empty for none. */
const char *CXML_name(const CXMLNode *element);
const char *CXML_namespace(const CXMLNode *element);
int CXML_is(const CXMLNode *node, const char *name, const char *namespace_name);
/* Of a text, a comment or an instruction; never NULL. */
const char *CXML_content(const CXMLNode *node);

CXMLAttribute *CXML_attribute(const CXMLNode *element);
CXMLAttribute *CXML_next_attribute(const CXMLAttribute *attribute);
const char *CXML_attribute_name(const CXMLAttribute *attribute);
const char *CXML_attribute_namespace(const CXMLAttribute *attribute);
/* The first part of the value; CXML_next leads to the others. NULL for an empty value. */
CXMLNode *CXML_attribute_value(const CXMLAttribute *attribute);

/* Reads a fragment with one element and copies it into a document as the last child of `parent`, or its first.

   The fragment declares all its prefixes. The new element; NULL if it cannot be read, or memory is missing. */
CXMLNode *CXML_insert(CXMLNode *parent, int is_first, const uint8_t *fragment, size_t count);
/* Gives an element a text as its only content. 0 if memory is missing. */
int CXML_set_text(CXMLNode *element, const char *text);

enum CXMLCanonicalization { CXML_INCLUSIVE, CXML_EXCLUSIVE, CXML_INCLUSIVE_1_1 };

/* Writes the canonical form of a part of a document, without comments.

   - top: the element to write; NULL for the whole document.
   - without: an element in it to leave out; NULL for none.
   - prefixes: for the exclusive form, those that are treated as in the inclusive one, `count` bytes of texts, each with a NUL.
   - write: gets the bytes piece by piece.

   1 if all was written. libxml2 refuses namespaces with relative names. */
int CXML_canonicalize(
    CXMLDocument *document, const CXMLNode *top, const CXMLNode *without, enum CXMLCanonicalization form,
    const char *prefixes, size_t count, void (*write)(void *context, const uint8_t *bytes, int count), void *context);

#endif
