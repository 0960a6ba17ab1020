import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  currentKeyOf,
  formatSelector,
  matchesSelector,
  parseSelector,
  type Requirement,
  reservedKeys,
  type SelectorSubject,
  selectedValues,
} from "./selector.ts";

const http: SelectorSubject = {
  key: { kind: "service", host: "web 1", name: "http" },
  labels: { env: "prod", tier: "front", constructor: "robot" },
  zone: "default",
  realm: "",
  checkType: "tcp",
  status: "critical",
  cause: "sw1!uplink",
  parents: [],
  dependsOn: ["db!sql", "sw1"],
};
const web: SelectorSubject = {
  ...http,
  key: { kind: "host", name: "web 1" },
  checkType: "icmp",
  status: "ok",
  cause: "sw1",
  parents: ["sw1", "sw2"],
  dependsOn: [],
};
const shop: SelectorSubject = {
  ...http,
  key: { kind: "process", name: "shop" },
  checkType: "",
  cause: "",
  dependsOn: ["sw1"],
};

const matches: [text: string, service: boolean, host: boolean, process: boolean][] = [
  ["env=prod", true, true, true],
  ["env==prod", true, true, true],
  [" env = prod , tier ", true, true, true],
  ["env=prod,tier=back", false, false, false],
  ["env!=prod", false, false, false],
  ["absent!=x", true, true, true],
  ["env in (dev, prod)", true, true, true],
  ["env in(dev)", false, false, false],
  ["env notin (dev)", true, true, true],
  ["env notin (dev,prod)", false, false, false],
  ["absent notin (x)", true, true, true],
  ["@cause", true, true, false],
  ["@cause=sw1", false, true, false],
  ['@cause="sw1!uplink"', true, false, false],
  ["@cause!=sw1", true, false, true],
  ["tier", true, true, true],
  ["!tier", false, false, false],
  ["!absent", true, true, true],
  ["constructor=robot", true, true, true],
  ["toString", false, false, false],
  ["__proto__", false, false, false],
  ["!__proto__", true, true, true],
  ["@kind=service", true, false, false],
  ["@kind in (host,process)", false, true, true],
  ['@host="web 1"', true, false, false],
  ["@host", true, false, false],
  ["!@host", false, true, true],
  ["@name=http", true, false, false],
  ['@name="web 1"', false, true, false],
  ["@type=tcp", true, false, false],
  ["!@type", false, false, true],
  ["@zone=default", true, true, true],
  ["@realm", false, false, false],
  ["@realm!=eu", true, true, true],
  ["@status=critical", true, false, true],
  ["@status notin (ok,pending)", true, false, true],
  ["in=x", false, false, false],
  ["notin", false, false, false],
];
function assertMatches(text: string, expected: readonly boolean[]): void {
  const selector = parsed(text);
  assert.deepEqual(
    [http, web, shop].map((subject) => matchesSelector(selector, subject)),
    expected,
  );
}

for (const [text, service, host, process] of matches) {
  test(`[SE1] ${text}`, () => assertMatches(text, [service, host, process]));
}

const parentMatches: typeof matches = [
  ["@parent", false, true, false],
  ["!@parent", true, false, true],
  ["@parent=sw2", false, true, false],
  ["@parent in (sw3,sw1)", false, true, false],
  ["@parent=sw3", false, false, false],
  ["@parent!=sw2", true, false, true],
  ["@parent notin (sw3,sw4)", true, true, true],
];
for (const [text, service, host, process] of parentMatches) {
  test(`[SE6] ${text}`, () => assertMatches(text, [service, host, process]));
}

const dependencyMatches: typeof matches = [
  ["@dependency", true, false, true],
  ["!@dependency", false, true, false],
  ['@dependency="db!sql"', true, false, false],
  ["@dependency in (sw1,sw9)", true, false, true],
  ["@dependency!=sw1", false, true, false],
];
for (const [text, service, host, process] of dependencyMatches) {
  test(`[SE7] ${text}`, () => assertMatches(text, [service, host, process]));
}

const errors: [text: string, offset: number, message: RegExp][] = [
  ["", 0, /blank/],
  [" \t\n", 0, /blank/],
  ["!", 1, /expected a label's key, found the end/],
  ["=x", 0, /expected a label's key, found "="/],
  ["env=", 4, /expected a value \(the empty one is ""\), found the end/],
  ["env=,tier", 4, /expected a value/],
  ["env=a,", 6, /expected a label's key/],
  ["env=a b", 6, /expected "," or the end, found "b"/],
  ["env>1", 3, /expected "," or the end, found ">"/],
  ["!env=a", 4, /expected "," or the end/],
  ["env in a", 7, /expected "\(" after in, found "a"/],
  ["env in ()", 8, /expected a value/],
  ["env in (a", 9, /expected "," or "\)", found the end/],
  ["env in (a,)", 10, /expected a value/],
  ["((env", 0, /expected a label's key/],
  ['env="a', 4, /not closed/],
  ['env="a\\n"', 6, /backslash/],
  ["env=größe", 6, /found "ö"/],
  ["env=😀", 4, /found "😀"/],
  ["@", 1, /expected a label's key/],
  ["a,@kin=host", 2, /there is no @kin; use one of @kind, @host, /],
  ["@kind=Host", 6, /@kind is never "Host"; use one of host, service, process/],
  ["@status in (ok,down)", 15, /@status is never "down"/],
  [`${"x,".repeat(64)}x`, 128, /at most 64 requirements/],
  [`a=${"x".repeat(4095)}`, 4096, /at most 4096 bytes/],
  [`a="${"ö".repeat(2047)}"`, 2049, /at most 4096 bytes/],
];
for (const [text, offset, message] of errors) {
  test(`[SE2] rejects ${JSON.stringify(text.slice(0, 24))} at ${offset}`, () => {
    const result = parseSelector(text);
    assert.ok(!result.ok);
    assert.equal(result.error.offset, offset);
    assert.match(result.error.message, message);
  });
}

test("[SE2] selectors at the limits are valid", () => {
  assert.equal(parsed(`${"x,".repeat(63)}x`).requirements.length, 64);
  assert.ok(parseSelector(`a=${"x".repeat(4094)}`).ok);
  assert.ok(parseSelector(`a="${"ö".repeat(2046)}"`).ok);
  assert.ok(parseSelector(`a="${"😀".repeat(1023)}"`).ok);
});

test("[SE3] formatting a selector and parsing it gives an equal selector", () => {
  const label = fc.stringMatching(/^[A-Za-z0-9_./-]{1,8}$/);
  const free = fc.constantFrom("@host", "@name", "@zone", "@realm", "@type");
  const values = fc.array(fc.string({ unit: "binary", maxLength: 6 }), { minLength: 1, maxLength: 3 });
  const requirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.tuple(fc.constantFrom("exists", "absent"), fc.oneof(label, free)).map(([kind, key]) => ({ kind, key })),
    fc
      .tuple(fc.constantFrom("in", "notin"), fc.oneof(label, free), values)
      .map(([kind, key, list]) => ({ kind, key, values: new Set(list) })),
  );
  fc.assert(
    fc.property(fc.array(requirement, { minLength: 1, maxLength: 5 }), (requirements) => {
      assert.deepEqual(parsed(formatSelector({ requirements })), { requirements });
    }),
  );
});

test("[SE3] every text parses or gives an error position within it", () => {
  const piece = fc.constantFrom(
    "env",
    "=",
    "!",
    "!=",
    ",",
    "(",
    ")",
    " in ",
    " notin ",
    '"',
    "\\",
    "@kind",
    "host",
    " ",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(piece).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(text, (text) => {
      const result = parseSelector(text);
      if (result.ok) assert.deepEqual(parsed(formatSelector(result.value)), result.value);
      else assert.ok(result.error.offset >= 0 && result.error.offset <= text.length);
    }),
    { numRuns: 2000 },
  );
});

test("[SE3] a negated requirement matches all other objects", () => {
  const subject = fc.record({
    key: fc.constantFrom(http.key, web.key, shop.key),
    labels: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.constantFrom("x", "y")),
    zone: fc.constantFrom("", "x"),
    realm: fc.constantFrom("", "x"),
    checkType: fc.constantFrom("", "x"),
    status: fc.constantFrom("ok" as const, "critical" as const),
    cause: fc.constantFrom("", "x"),
    parents: fc.subarray(["x", "y", "z"]),
    dependsOn: fc.subarray(["x", "y", "z"]),
  });
  const reserved = ["@host", "@zone", "@realm", "@type", "@name", "@cause", "@parent", "@dependency"];
  const key = fc.constantFrom("a", "b", "__proto__", ...reserved);
  fc.assert(
    fc.property(subject, key, fc.constantFrom("x", "y"), (subject, key, value) => {
      const is = (text: string) => matchesSelector(parsed(text), subject);
      assert.notEqual(is(`${key}=${value}`), is(`${key}!=${value}`));
      assert.notEqual(is(`${key} in (${value},z)`), is(`${key} notin (${value},z)`));
      assert.notEqual(is(key), is(`!${key}`));
    }),
  );
});

test("[SE4] only the keys of states and of dependencies cannot be evaluated with a document", () => {
  assert.equal(currentKeyOf(parsed("env=prod,@status!=ok")), "@status");
  for (const key of reservedKeys)
    assert.equal(
      currentKeyOf(parsed(`@${key}`)),
      ["status", "cause", "dependency"].includes(key) ? `@${key}` : undefined,
    );
});

test("[SE5] an index may begin with the values that a key is narrowed to", () => {
  assert.deepEqual(selectedValues(parsed("a,@host in (x,y)"), "@host"), new Set(["x", "y"]));
  assert.equal(selectedValues(parsed("@host!=x"), "@host"), undefined);
  assert.equal(selectedValues(parsed("@host"), "@host"), undefined);
});

function parsed(text: string) {
  const result = parseSelector(text);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}
