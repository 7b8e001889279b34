/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "CXML.h"
#include "functions.h"

static const xmlNode *inner(const CXMLNode *node) { return (const xmlNode *)node; }
static CXMLNode *outer(const xmlNode *node) { return (CXMLNode *)node; }
static const char *text(const xmlChar *bytes) { return bytes ? (const char *)bytes : ""; }
static const char *name_of(const xmlNs *space) { return space ? text(space->href) : ""; }

// No network, no DTD, no entities, no warnings on standard error. Text in CDATA sections is text: a signature does not
// distinguish them. Long texts are allowed: those who call have limited depth, attributes and size.
enum { OPTIONS = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA | XML_PARSE_HUGE |
       XML_PARSE_COMPACT };

static xmlDoc *parse(const struct libxml2 *library, xmlParserCtxt *parser, const uint8_t *bytes, size_t count) {
    if (count > INT_MAX) return NULL;
    return library->xmlCtxtReadMemory(parser, (const char *)bytes, (int)count, NULL, NULL, OPTIONS);
}

CXMLDocument *CXML_parse(const uint8_t *bytes, size_t count, char *message, size_t room, int *line) {
    const struct libxml2 *library = libxml2();
    xmlParserCtxt *parser = library ? library->xmlNewParserCtxt() : NULL;
    if (room) message[0] = 0;
    *line = 0;
    if (!parser) return NULL;
    xmlDoc *document = parse(library, parser, bytes, count);
    if (!document) {
        const xmlError *error = library->xmlCtxtGetLastError(parser);
        if (error && error->code != XML_ERR_NO_MEMORY) {
            snprintf(message, room, "%s", error->message ? error->message : "?");
            message[strcspn(message, "\n")] = 0;
            *line = error->line;
        }
    }
    library->xmlFreeParserCtxt(parser);
    return (CXMLDocument *)document;
}

void CXML_free(CXMLDocument *document) {
    const struct libxml2 *library = libxml2();
    if (library && document) library->xmlFreeDoc((xmlDoc *)document);
}

int CXML_has_type(const CXMLDocument *document) {
    const xmlDoc *read = (const xmlDoc *)document;
    return read->intSubset || read->extSubset;
}

CXMLNode *CXML_root(const CXMLDocument *document) {
    const struct libxml2 *library = libxml2();
    return library ? outer(library->xmlDocGetRootElement((const xmlDoc *)document)) : NULL;
}

enum CXMLKind CXML_kind(const CXMLNode *node) {
    switch (inner(node)->type) {
    case XML_ELEMENT_NODE: return CXML_ELEMENT;
    case XML_TEXT_NODE:
    case XML_CDATA_SECTION_NODE: return CXML_TEXT;
    case XML_COMMENT_NODE: return CXML_COMMENT;
    case XML_PI_NODE: return CXML_INSTRUCTION;
    default: return CXML_OTHER;
    }
}

static int is_element(const xmlNode *node) { return node && node->type == XML_ELEMENT_NODE; }

CXMLNode *CXML_parent(const CXMLNode *node) {
    const xmlNode *parent = inner(node)->parent;
    return is_element(parent) ? outer(parent) : NULL;
}

CXMLNode *CXML_child(const CXMLNode *node) { return is_element(inner(node)) ? outer(inner(node)->children) : NULL; }

CXMLNode *CXML_next(const CXMLNode *node) { return outer(inner(node)->next); }

CXMLNode *CXML_next_element(const CXMLNode *from, const CXMLNode *top) {
    const xmlNode *node = inner(from);
    do {
        if (is_element(node) && node->children) {
            node = node->children;
        } else {
            while (node && node != inner(top) && !node->next) node = node->parent;
            if (!node || node == inner(top)) return NULL;
            node = node->next;
        }
    } while (!is_element(node));
    return outer(node);
}

static int is_marked(const xmlNode *element) {
    const char *name = text(element->name);
    if (!strcmp(name, "Signature") || !strcmp(name, "include")) return 1;
    for (const xmlAttr *attribute = element->properties; attribute; attribute = attribute->next)
        if (!strcasecmp(text(attribute->name), "id")) return 1;
    return 0;
}

CXMLNode *CXML_next_marked(const CXMLNode *node, const CXMLNode *top) {
    CXMLNode *next = CXML_next_element(node, top);
    while (next && !is_marked(inner(next))) next = CXML_next_element(next, top);
    return next;
}

const char *CXML_name(const CXMLNode *element) { return text(inner(element)->name); }

const char *CXML_namespace(const CXMLNode *element) {
    return is_element(inner(element)) ? name_of(inner(element)->ns) : "";
}

int CXML_is(const CXMLNode *node, const char *name, const char *namespace_name) {
    return is_element(inner(node)) && !strcmp(CXML_name(node), name) && !strcmp(CXML_namespace(node), namespace_name);
}

const char *CXML_content(const CXMLNode *node) { return is_element(inner(node)) ? "" : text(inner(node)->content); }

CXMLAttribute *CXML_attribute(const CXMLNode *element) {
    return is_element(inner(element)) ? (CXMLAttribute *)inner(element)->properties : NULL;
}

CXMLAttribute *CXML_next_attribute(const CXMLAttribute *attribute) {
    return (CXMLAttribute *)((const xmlAttr *)attribute)->next;
}

const char *CXML_attribute_name(const CXMLAttribute *attribute) { return text(((const xmlAttr *)attribute)->name); }

const char *CXML_attribute_namespace(const CXMLAttribute *attribute) {
    return name_of(((const xmlAttr *)attribute)->ns);
}

CXMLNode *CXML_attribute_value(const CXMLAttribute *attribute) {
    return outer(((const xmlAttr *)attribute)->children);
}

CXMLNode *CXML_insert(CXMLNode *parent, int is_first, const uint8_t *fragment, size_t count) {
    const struct libxml2 *library = libxml2();
    xmlParserCtxt *parser = library ? library->xmlNewParserCtxt() : NULL;
    if (!parser) return NULL;
    xmlNode *place = (xmlNode *)inner(parent);
    xmlDoc *document = parse(library, parser, fragment, count);
    xmlNode *root = document ? library->xmlDocGetRootElement(document) : NULL;
    xmlNode *copy = root ? library->xmlDocCopyNode(root, place->doc, 1) : NULL;
    xmlNode *added = NULL;
    if (copy) {
        added = is_first && place->children ? library->xmlAddPrevSibling(place->children, copy)
                                            : library->xmlAddChild(place, copy);
        if (!added) library->xmlFreeNode(copy);
    }
    if (document) library->xmlFreeDoc(document);
    library->xmlFreeParserCtxt(parser);
    return outer(added);
}

int CXML_set_text(CXMLNode *element, const char *content) {
    const struct libxml2 *library = libxml2();
    xmlNode *node = (xmlNode *)inner(element);
    xmlNode *value = library ? library->xmlNewDocText(node->doc, (const xmlChar *)content) : NULL;
    if (!value) return 0;
    while (node->children) {
        xmlNode *old = node->children;
        library->xmlUnlinkNode(old);
        library->xmlFreeNode(old);
    }
    if (library->xmlAddChild(node, value)) return 1;
    library->xmlFreeNode(value);
    return 0;
}

struct part {
    const xmlNode *top, *without;
};

// A namespace or an attribute is visible with its element. libxml2 passes either as a node, with the element beside it.
static int is_visible(void *context, xmlNode *node, xmlNode *parent) {
    const struct part *part = context;
    int is_of_element = node->type == XML_NAMESPACE_DECL || node->type == XML_ATTRIBUTE_NODE;
    for (const xmlNode *at = is_of_element ? parent : node; at; at = at->parent) {
        if (at == part->without) return 0;
        if (at == part->top) return 1;
    }
    return !part->top;
}

// More prefixes than any document has reason for.
enum { PREFIXES = 64 };

struct output {
    void (*write)(void *context, const uint8_t *bytes, int count);
    void *context;
};

static int pass_on(void *context, const char *bytes, int count) {
    const struct output *output = context;
    output->write(output->context, (const uint8_t *)bytes, count);
    return count;
}

// Later versions of libxml2 have a constant error.
static void pass_over(void *context, void *error) {
    (void)context;
    (void)error;
}

int CXML_canonicalize(
    CXMLDocument *document, const CXMLNode *top, const CXMLNode *without, enum CXMLCanonicalization form,
    const char *prefixes, size_t count, void (*write)(void *context, const uint8_t *bytes, int count), void *context) {
    static const int modes[] = {XML_C14N_1_0, XML_C14N_EXCLUSIVE_1_0, XML_C14N_1_1};
    const struct libxml2 *library = libxml2();
    struct part part = {inner(top), inner(without)};
    struct output output = {write, context};
    xmlOutputBuffer *buffer = library ? library->xmlOutputBufferCreateIO(pass_on, NULL, &output, NULL) : NULL;
    if (!buffer) return 0;
    int is_part = top || without;
    xmlChar *list[PREFIXES + 1] = {NULL};
    size_t listed = 0;
    for (const char *next = prefixes; next < prefixes + count && listed < PREFIXES; next += strlen(next) + 1)
        list[listed++] = (xmlChar *)next;
    // Else it writes its errors to standard error, which is not ours. The function is the thread's.
    library->xmlSetStructuredErrorFunc(NULL, (xmlStructuredErrorFunc)pass_over);
    int written = library->xmlC14NExecute(
        (xmlDoc *)document, is_part ? is_visible : NULL, &part, modes[form], listed ? list : NULL, 0, buffer);
    int closed = library->xmlOutputBufferClose(buffer);
    library->xmlSetStructuredErrorFunc(NULL, NULL);
    return written >= 0 && closed >= 0;
}
