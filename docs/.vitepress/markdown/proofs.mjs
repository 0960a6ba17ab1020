import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ruleNumber = /\b[A-Z]{2}\d+\b/g;
const mostNamed = 4;

/** Names below each rule of `rules/` the tests that prove it: those whose names have the rule's number in brackets. */
export function nameProofs(markdown, docs) {
  const testsOf = readProofs(join(docs, ".."));
  markdown.core.ruler.push("proofs", ({ tokens, env, Token }) => {
    if (!env.relativePath?.startsWith("rules/")) return;
    for (const { children } of tokens) {
      const number = children && /^\[([A-Z]{2}\d+)\]$/.exec(children[2]?.content ?? "")?.[1];
      const tests = number ? [...(testsOf.get(number) ?? [])] : [];
      if (tests.length === 0) continue;
      const more = tests.length > mostNamed ? `, and ${tests.length - mostNamed} more` : "";
      const proof = new Token("html_inline", "", 0);
      proof.content = `<small class="proof">Test: ${tests.slice(0, mostNamed).join(", ")}${more}</small>`;
      children.push(proof);
    }
  });
}

/** Test files by the numbers of the rules that their tests' names have. */
function readProofs(root) {
  const proofs = new Map();
  for (const file of globSync("{test,agent,aggregator,shared,proto}/**/*.test.ts", { cwd: root }).sort()) {
    // Tests of the architecture check the list of rules, and prove no rule.
    if (file.includes("node_modules") || file.startsWith("test/architecture")) continue;
    for (const [, names = ""] of readFileSync(join(root, file), "utf8").matchAll(/["'`]\[((?:[A-Z]{2}\d+[, ]*)+)\]/g))
      for (const [number] of names.matchAll(ruleNumber)) {
        if (!proofs.has(number)) proofs.set(number, new Set());
        proofs.get(number).add(file);
      }
  }
  return proofs;
}
