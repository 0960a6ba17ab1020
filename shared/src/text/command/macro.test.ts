import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { expandMacros, isKnownMacro, macroNames, macroNamesIn, splitAtMacros } from "./macro.ts";

const values: Record<string, string> = { HOSTNAME: "web1", ARG1: "$HOSTNAME$", EMPTY: "", COST: "$&$1$$" };
const lookup = (name: string): string | undefined => values[name];

const rows: [rule: string, text: string, expanded: string][] = [
  ["2.16 a macro", "ping $HOSTNAME$!", "ping web1!"],
  ["2.16 two macros share no dollar", "$HOSTNAME$$HOSTNAME$", "web1web1"],
  ["2.16 $$ is a dollar", "costs 5$$", "costs 5$"],
  ["2.16 $$ shields a name", "$$HOSTNAME$$", "$HOSTNAME$"],
  ["2.16 an unknown macro stays with its dollars", "a $NOPE$ b", "a $NOPE$ b"],
  ["2.16 a lone dollar stays", "100 $", "100 $"],
  ["2.16 a shell variable is no macro", "$HOME/x $HOSTNAME$", "$HOME/x web1"],
  ["2.16 an empty value", "<$EMPTY$>", "<>"],
  ["2.16 a value is never expanded again", "$ARG1$", "$HOSTNAME$"],
  ["2.16 a value with replacement signs is data", "$COST$", "$&$1$$"],
];
for (const [rule, text, expanded] of rows) test(rule, () => assert.equal(expandMacros(text, lookup), expanded));

test("2.16 names are found once, in order; on-demand macros are seen", () => {
  const line = "$USER1$/check $$ $_HOSTPORT$ $USER1$ $HOSTSTATE:web1$ $5";
  assert.deepEqual(macroNamesIn(line), ["USER1", "_HOSTPORT", "HOSTSTATE:web1"]);
});

test("2.16 what is statically known", () => {
  const known = ["HOSTNAME", "LONGSERVICEOUTPUT", "LASTHOSTCHECK", "NOTIFICATIONKIND", "ARG1", "ARG32", "USER1"];
  for (const name of [...known, "USER256", "_HOSTNAME", "_SERVICEHTTP_PORT"]) assert.ok(isKnownMacro(name), name);
  const unknown = [
    "",
    "hostname",
    "ARG0",
    "ARG33",
    "ARG01",
    "USER",
    "_HOST",
    "_HOSTname",
    "HOSTSTATE:web1",
    "toString",
  ];
  for (const name of unknown) assert.ok(!isKnownMacro(name), name);
  assert.equal(new Set(macroNames).size, macroNames.length);
});

test("2.16 a text without dollars is its own expansion, and doubling dollars shields any text", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const shielded = text.replaceAll("$", () => "$$");
      assert.equal(expandMacros(shielded, lookup), text);
      assert.deepEqual(macroNamesIn(text.replaceAll("$", "")), []);
    }),
  );
});

test("2.16 the pieces of a text are its expansion", () => {
  const pieces = splitAtMacros("a $HOSTNAME$$$ $NOPE$$");
  assert.deepEqual(pieces, [
    { kind: "text", text: "a " },
    { kind: "macro", name: "HOSTNAME", written: "$HOSTNAME$" },
    { kind: "text", text: "$" },
    { kind: "text", text: " " },
    { kind: "macro", name: "NOPE", written: "$NOPE$" },
    { kind: "text", text: "$" },
  ]);
  const line = fc.string({ unit: fc.constantFrom("$", "$HOSTNAME$", "a", " ", ":", "NOPE") });
  fc.assert(
    fc.property(line, (text) => {
      const joined = splitAtMacros(text).map((p) => (p.kind === "text" ? p.text : (lookup(p.name) ?? p.written)));
      assert.equal(joined.join(""), expandMacros(text, lookup));
    }),
  );
});
