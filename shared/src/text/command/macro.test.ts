import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { expandMacros, isKnownMacro, macroNames, macroNamesIn, splitAtMacros } from "./macro.ts";

const values: Record<string, string> = { HOSTNAME: "web1", ARG1: "$HOSTNAME$", EMPTY: "", COST: "$&$1$$" };
const lookup = (name: string): string | undefined => values[name];

const rows: [rule: string, text: string, expanded: string][] = [
  ["a macro", "ping $HOSTNAME$!", "ping web1!"],
  ["adjacent macros do not share a dollar sign", "$HOSTNAME$$HOSTNAME$", "web1web1"],
  ["$$ is a dollar sign", "costs 5$$", "costs 5$"],
  ["$$ escapes a name", "$$HOSTNAME$$", "$HOSTNAME$"],
  ["an unknown macro is unchanged", "a $NOPE$ b", "a $NOPE$ b"],
  ["a single dollar sign is unchanged", "100 $", "100 $"],
  ["a shell variable is not a macro", "$HOME/x $HOSTNAME$", "$HOME/x web1"],
  ["an empty value", "<$EMPTY$>", "<>"],
  ["macros in a value are not expanded", "$ARG1$", "$HOSTNAME$"],
  ["replacement patterns in a value are data", "$COST$", "$&$1$$"],
];
for (const [rule, text, expanded] of rows) test(rule, () => assert.equal(expandMacros(text, lookup), expanded));

test("names are listed once, in order, on-demand macros included", () => {
  const line = "$USER1$/check $$ $_HOSTPORT$ $USER1$ $HOSTSTATE:web1$ $5";
  assert.deepEqual(macroNamesIn(line), ["USER1", "_HOSTPORT", "HOSTSTATE:web1"]);
});

test("known and unknown macro names", () => {
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

test("a text without dollar signs is unchanged, and doubled dollar signs escape any text", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const shielded = text.replaceAll("$", () => "$$");
      assert.equal(expandMacros(shielded, lookup), text);
      assert.deepEqual(macroNamesIn(text.replaceAll("$", "")), []);
    }),
  );
});

test("the split pieces give the same expansion", () => {
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
