import { type CueNode, cueNode } from "./write-cue.ts";

/** Name of the clause by which a definition refers to the address of a host beside a field `address`. */
const alias = "target";

/** Definitions of common parts need this field, and this clause, where they have a reference to the address. */
export const addressClauses = ["address: string", `let ${alias} = address`] as const;

/** JSON data as CUE, in which the address of the host is a reference, so that it is the same on other hosts. */
export function nodeWithAddress(value: unknown, address: string): CueNode {
  const part = new RegExp(`(?<![\\w.:-])${RegExp.escape(address)}(?![\\w.-])`, "g");
  const textOf = (text: string): string | undefined => {
    if (text === address) return alias;
    if (text.search(part) < 0) return undefined;
    return JSON.stringify(text.replaceAll(part, marker)).replaceAll(marker, `\\(${alias})`);
  };
  return cueNode(value, textOf);
}

/** Stands for the reference until the rest of the text is quoted. No text of a document has it. */
const marker = "\uE000";

/** The reference within a quoted text, where a backslash of the text itself is doubled. */
const reference = new RegExp(`(?:^|[^\\\\])(?:\\\\\\\\)*\\\\\\(${alias}\\)`);

/** True when CUE refers to the address of the host. */
export const refersToAddress = (node: CueNode): boolean => {
  if (typeof node === "string") return node === alias || reference.test(node);
  return Array.isArray(node)
    ? node.some(refersToAddress)
    : (node as Exclude<CueNode, string | readonly CueNode[]>).fields.some(({ value }) => refersToAddress(value));
};
