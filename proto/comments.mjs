import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

/** Names of the lists in a descriptor, by the field number that its source positions use. */
const lists = {
  file: { 4: "messageType", 5: "enumType", 6: "service" },
  messageType: { 2: "field", 3: "nestedType", 4: "enumType", 8: "oneofDecl" },
  nestedType: { 2: "field", 3: "nestedType", 4: "enumType", 8: "oneofDecl" },
  enumType: { 2: "value" },
  service: { 2: "method" },
};

/** Full name of the element at a source position; undefined for a position inside of an element. */
function nameAt(file, path) {
  let [kind, element, name] = ["file", file, file.package];
  for (let at = 0; at < path.length; at += 2) {
    kind = lists[kind]?.[path[at]];
    element = element[kind]?.[path[at + 1]];
    if (element === undefined) return undefined;
    name += `.${element.name}`;
  }
  return path.length % 2 === 0 ? name : undefined;
}

// The generated code has no comments that a program could read; the description of the API needs them.
const image = JSON.parse(
  execFileSync("buf", ["build", "--path", "svc", "-o", "-#format=json"], { maxBuffer: 1 << 28 }),
);
const comments = {};
for (const file of image.file)
  for (const { path = [], leadingComments } of file.sourceCodeInfo?.location ?? []) {
    const name = leadingComments === undefined || path.length === 0 ? undefined : nameAt(file, path);
    if (name?.startsWith("svc.")) comments[name] = leadingComments.trim().replace(/\n ?/g, "\n");
  }
const sorted = Object.fromEntries(Object.entries(comments).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(
  "gen/svc/v1/comments.ts",
  `/** Comments of the protos by full name of the element. */\nexport const protoComments: Readonly<Record<string, string>> = ${JSON.stringify(sorted, null, 2)};\n`,
);
