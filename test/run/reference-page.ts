import { realmsDocument } from "@realmwatch/aggregator/realms/realms-document";
import { configurationParser } from "@realmwatch/shared/config/schema/configuration";
import { authDocument } from "@realmwatch/shared/identity/auth-document";
import { formatReference } from "./format-reference.ts";

/** URL of the page's file. */
export const pageUrl: URL = new URL("../../docs/reference/configuration.md", import.meta.url);

/** Schemas of all documents, in the order of the page. */
export const documents = [configurationParser, authDocument, realmsDocument] as const;

const head = `# Configuration reference

Generated from the declarations with which the programs parse documents, by
\`node test/run/write-reference.ts\`. The flags of the programs are on [a separate page](flags.md).

There are three documents: the [configuration](#configuration) of a realm, the [auth document](#auth-document) of both
programs and the [realms document](#realms-document) of an aggregator. The types *string*, *bool*, *int* and *number* are
those of CUE; a *duration* is a string such as \`"90s"\`; a *map* is a struct with arbitrary field names. Fields without a
default are required; *empty* is \`""\`, \`[]\` or \`{}\`; *below* means that the section of the type has an example.
`;

/** Generates `docs/reference/configuration.md`. */
export const referencePage = (): string =>
  [head, ...documents.map(({ schema }) => formatReference(schema, 2))].join("\n");
