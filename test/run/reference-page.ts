import { realmsDocument } from "@realmwatch/aggregator/realms/realms-document";
import { configurationParser } from "@realmwatch/shared/config/schema/configuration";
import { formatReference } from "@realmwatch/shared/config/parser/reference";
import { authDocument } from "@realmwatch/shared/identity/auth-document";

/** The page, as an address that can be read and written. */
export const pageUrl: URL = new URL("../../docs/reference/configuration.md", import.meta.url);

/** The documents that programs read, in the page's order. */
export const documents = [configurationParser, authDocument, realmsDocument] as const;

const head = `# Configuration reference

Made from the declarations that the programs read documents by; \`node --conditions=source test/run/write-reference.ts\`
writes it anew. The flags of the programs are on [a page of their own](flags.md).

Three documents: the [configuration](#configuration) of a realm, the [auth document](#auth-document) of either program
and the [realms document](#realms-document) of an aggregator. A *string*, *bool*, *int* and *number* are CUE's; a
*duration* is a string such as \`"90s"\`; a *map* is a struct whose field names are free. Fields without a default are
required; *empty* is \`""\`, \`[]\` or \`{}\`; *below* is an example in the section of that type.
`;

/** `docs/reference/configuration.md`, as it has to be. */
export const referencePage = (): string => [head, ...documents.map(({ schema }) => formatReference(schema, 2))].join("\n");
