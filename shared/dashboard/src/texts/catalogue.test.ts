import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAst } from "vite";

const source = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(source, file), "utf8");

type Node = { readonly type: string } & Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
const nodesIn = (value: unknown): readonly Node[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];
const hasWords = (text: unknown): boolean => typeof text === "string" && /[A-Za-z]{2}/.test(text);

/** Attributes that are read by people. */
const textAttributes = ["aria-label", "title", "placeholder", "alt", "label", "legend", "hint", "submit", "data-label"];

/** Literal texts that an expression may render: those of its branches, without conditions and arguments. */
function renderedTexts(node: Node): readonly string[] {
  const of = (...fields: readonly string[]) => fields.flatMap((field) => nodesIn(node[field]).flatMap(renderedTexts));
  switch (node.type) {
    case "Literal":
      return hasWords(node["value"]) ? [String(node["value"])] : [];
    case "TemplateLiteral":
      return nodesIn(node["quasis"])
        .map(({ value }) => (value as { readonly cooked: string }).cooked)
        .filter(hasWords);
    case "ConditionalExpression":
      return of("consequent", "alternate");
    case "LogicalExpression":
      return node["operator"] === "&&" ? of("right") : of("left", "right");
    case "ParenthesizedExpression":
    case "JSXExpressionContainer":
      return of("expression");
    default:
      return [];
  }
}

/** Literal texts among the elements of a file. */
function literalTexts(node: Node): readonly string[] {
  const own = ((): readonly string[] => {
    if (node.type === "JSXText") return hasWords(node["value"]) ? [String(node["value"]).trim()] : [];
    if (node.type === "JSXElement" || node.type === "JSXFragment")
      return nodesIn(node["children"])
        .filter(({ type }) => type === "JSXExpressionContainer")
        .flatMap(renderedTexts);
    if (node.type !== "JSXAttribute") return [];
    const [name, value] = [node["name"] as Node, node["value"]];
    return textAttributes.includes(String(name["name"])) && isNode(value) ? renderedTexts(value) : [];
  })();
  return [...own, ...Object.values(node).flatMap((value) => nodesIn(value).flatMap(literalTexts))];
}

const textsOf = (code: string): readonly string[] => literalTexts(parseAst(code, { lang: "tsx" }) as unknown as Node);

test("elements have no literal texts: they are in the catalogue of `texts`", () => {
  const found = globSync("**/*.tsx", { cwd: source }).flatMap((file) =>
    textsOf(read(file)).map((text) => `${file}: ${text}`),
  );
  assert.deepEqual(found, []);
});

test("every text of the catalogue is used", () => {
  const code = globSync("**/*.{ts,tsx}", { cwd: source, exclude: ["texts/**"] })
    .map(read)
    .join("\n");
  const unused = globSync("texts/*-texts.ts", { cwd: source }).flatMap((file) => {
    const text = read(file);
    const name = /^export const (\w+)/m.exec(text)?.[1] ?? "";
    const keys = [...text.matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key as string);
    return keys.filter((key) => !new RegExp(`\\b${name}\\s*\\.${key}\\b`).test(code)).map((key) => `${name}.${key}`);
  });
  assert.deepEqual(unused, []);
});

test("no text has a numbered name", () => {
  const numbered = globSync("texts/*-texts.ts", { cwd: source }).flatMap((file) =>
    [...read(file).matchAll(/^ {2}(\w*[A-Za-z]\d):/gm)].map(([, key]) => `${file}: ${key}`),
  );
  assert.deepEqual(numbered, []);
});

test("the guard finds texts in elements, attributes and branches, and passes everything else", () => {
  const cases: [code: string, texts: readonly string[]][] = [
    ["<p>Loading now</p>", ["Loading now"]],
    ['<p title="A hint" className="wide" />', ["A hint"]],
    ['<p>{ok ? "Done" : texts.failed}</p>', ["Done"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a component
    ["<p aria-label={`Row ${at}`} />", ["Row "]],
    ['<p>{found && "Found"}</p>', ["Found"]],
    ['<p>{kind === "host" && texts.host} – {format(at, "short")}</p>', []],
    ["<p>{texts.rows(count)} · {name}</p>", []],
  ];
  for (const [code, texts] of cases) assert.deepEqual(textsOf(`const a = ${code};`), texts, code);
});
