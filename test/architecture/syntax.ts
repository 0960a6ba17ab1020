import { parseAst } from "vite";
import { read } from "./sources.ts";

/** Node of a syntax tree in the form of ESTree and TypeScript ESTree. */
export type SyntaxNode = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/** Nodes that a field of a node has: of a list, of one node, or none. */
export const nodesIn = (value: unknown): readonly SyntaxNode[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];

/** Parses the text of a source that has this path. */
export function parseText(file: string, text: string): SyntaxNode {
  const lang = file.endsWith(".tsx") ? "tsx" : file.endsWith(".ts") ? "ts" : "js";
  return parseAst(text, { lang }) as unknown as SyntaxNode;
}

export const parseFile = (file: string): SyntaxNode => parseText(file, read(file).text);

/** Calls a function with a node and every node within it, each before the nodes within it. */
export function visitNodes(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  for (const field in node) for (const each of nodesIn(node[field])) visitNodes(each, visit);
}
