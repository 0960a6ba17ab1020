import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { filesOf, read, withoutComments } from "./sources.ts";

/** Literal in a source: after a character that cannot end an operand, and with a body of escapes, classes and the rest. */
const literal = /(?<=[=(,:?&|!]\s*|return\s+)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g;

const product = "{agent,aggregator,shared,shared/cli}/src/**/*.ts";

/** Every regular expression of the product by its text, with a file that has it. */
const expressions = new Map(
  filesOf(product)
    .filter((file) => !/\.(test|soak|fixture|contract)\.ts$/.test(file))
    .flatMap((file) => [...withoutComments(read(file).text).matchAll(literal)].map(([text]) => [text, file] as const))
    // A path in a template looks like a literal too.
    .filter(([text]) => expressionOf(text) !== undefined),
);

/** Length at which a cubic or exponential match takes minutes, and a quadratic one some ms. */
const length = 1_500;
/** Bound that tells a match without end from a slow machine, ms. */
const hangMs = 5_000;

/** Texts of one or two of the expression's characters by turns, with an end that does not match. */
function textsFor(source: string): string[] {
  const plain = source.replace(/\\[dDwWsSbBpPuxk]|\\./g, " ").replace(/[[\](){}|?*+^$]/g, "");
  const letters = [...new Set([..."a0 -.\n\\", ...plain])].slice(0, 24);
  const units = letters.flatMap((one) => [one, ...letters.slice(0, 8).map((other) => one + other)]);
  return units.flatMap((unit) => {
    const many = unit.repeat(Math.ceil(length / unit.length));
    return [`${many}\u0001`, `${letters[0]}${many}${letters[1]}\u0001`];
  });
}

/** Compiles a literal; undefined for text that is not an expression. */
function expressionOf(text: string): RegExp | undefined {
  const end = text.lastIndexOf("/");
  try {
    return new RegExp(text.slice(1, end), text.slice(end + 1));
  } catch {
    return undefined;
  }
}

/** First text for which the expression does not end; undefined when it ends for all. */
function hangingText(text: string): string | undefined {
  const expression = expressionOf(text) ?? /$/;
  const texts = textsFor(expression.source);
  const state = { expression, texts, at: 0 };
  try {
    const loop = "for (; at < texts.length; at++) { expression.lastIndex = 0; expression.test(texts[at]); }";
    runInContext(loop, createContext(state), { timeout: hangMs });
    return undefined;
  } catch {
    return JSON.stringify(texts[state.at]?.slice(0, 12));
  }
}

test("[IN14] an expression that backtracks without end is found", () =>
  assert.notEqual(hangingText("/^(a+)+$/"), undefined));

test("[IN14] no regular expression of the product backtracks without end", () => {
  assert.ok(expressions.size > 200, `only ${expressions.size} expressions were found`);
  const hanging = [...expressions].flatMap(([text, file]) => {
    const found = hangingText(text);
    return found === undefined ? [] : [`${file}: ${text} on ${found}`];
  });
  assert.deepEqual(hanging, []);
});
