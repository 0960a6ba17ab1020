import assert from "node:assert/strict";
import { test } from "node:test";
import type { Downtime } from "../../model/downtime.ts";
import { compilePlan } from "../compile/compile-plan.ts";
import type { RealmPlan } from "../plan.ts";
import { type Attachments, blastRadius, formatBlastRadius } from "./blast-radius.ts";
import { checkSignature, diffPlans } from "./diff-plans.ts";
import { formatPlanDiff } from "./format-plan-diff.ts";

const check = { type: "icmp", host: "h", flap: {} };
const host = (more: object = {}): object => ({ address: "192.0.2.1", check, ...more });

function plan(document: object): RealmPlan {
  const compiled = compilePlan(document, { realm: "fra", localZone: "UTC" });
  assert.ok(compiled.ok, compiled.ok ? "" : compiled.error.map(({ message }) => message).join("\n"));
  return compiled.value;
}

const base = {
  hosts: { a: host({ services: { s: { check } } }), b: host({ labels: { app: "shop" } }) },
  processes: { p: { rule: { ref: "a" } } },
  commands: { c: { line: "ping a" } },
};
const { hosts } = base;

const tables: [name: string, after: object, lines: string[]][] = [
  ["nothing", structuredClone(base), ["no object changed"]],
  [
    "objects come and go",
    { ...base, hosts: { a: host(), c: host(), d: host(), e: host() } },
    ["+3 hosts, -1 host, -1 service"],
  ],
  [
    "checks change apart from others",
    {
      hosts: {
        a: host({ check: { ...check, host: "other" }, services: { s: { check: { ...check, timeout: "5s" } } } }),
        b: host({ labels: { app: "store" } }),
      },
      processes: { p: { rule: { ref: "b" }, description: "x" } },
      commands: base.commands,
    },
    ["3 checks changed, 1 object changed beside the check"],
  ],
  [
    "a change of a neighbour is not one of the object itself",
    {
      ...base,
      hosts: { ...hosts, a: host({ services: { s: { check }, t: { check } } }), c: host({ parents: ["a"] }) },
    },
    ["+1 host, +1 service"],
  ],
  [
    "a description is not a check",
    { ...base, processes: { p: { rule: { ref: "a" }, description: "x" } } },
    ["1 object changed beside the check"],
  ],
  [
    "everything else is on a line of its own",
    {
      ...base,
      commands: { d: { line: "x" } },
      contacts: { ann: { type: "email", address: "x" } },
      notifications: { n: { levels: [{ contacts: ["ann"] }] }, m: { levels: [{ contacts: ["ann"] }] } },
      ui: { availability: {} },
    },
    ["no object changed", "+1 command, -1 command, +1 contact, +2 notification policies, 1 setting changed"],
  ],
];
for (const [name, after, lines] of tables)
  test(`difference: ${name}`, () => {
    assert.deepEqual(formatPlanDiff(diffPlans(plan(base), plan(after))), lines);
  });

test("the command line of a command check is part of the check", () => {
  const using = (line: string): RealmPlan =>
    plan({
      hosts: { a: host({ check: { type: "command", command: "c", flap: {} } }), b: host() },
      commands: { c: { line } },
    });
  const diff = diffPlans(using("ping a"), using("ping b"));
  assert.deepEqual(
    diff.changed.map(({ after, checkChanged: looks }) => [after.ref, looks]),
    [["a", true]],
  );
  assert.deepEqual(formatPlanDiff(diff), ["1 check changed", "1 command changed"]);
});

test("the reverse difference swaps added and removed", () => {
  const [one, two] = [plan(base), plan({ hosts: { b: host(), z: host() } })];
  const [there, back] = [diffPlans(one, two), diffPlans(two, one)];
  const refs = (objects: readonly { readonly ref: string }[]): string[] => objects.map(({ ref }) => ref).sort();
  assert.deepEqual(refs(there.added), refs(back.removed));
  assert.deepEqual(refs(there.removed), refs(back.added));
  assert.equal(there.changed.length, back.changed.length);
});

const downtime = (shape: Downtime["shape"], author: string): Downtime => ({
  id: "1",
  shape,
  startMs: 0,
  endMs: 1,
  author,
  onBehalfOf: "",
  comment: "disk is swapped",
  inEffect: true,
});
const attached: Readonly<Record<string, Attachments>> = {
  "a!s": {
    acknowledgement: {
      author: "ann",
      onBehalfOf: "",
      comment: "on it",
      sticky: false,
      atMs: 0,
      expiresAtMs: undefined,
    },
    downtimes: [downtime({ kind: "fixed" }, "bea"), downtime({ kind: "recurring", name: "night" }, "")],
    comments: [{ id: "2", author: "cid", onBehalfOf: "", text: "", atMs: 0 }],
  },
  b: {
    acknowledgement: undefined,
    downtimes: [],
    comments: [{ id: "3", author: "x", onBehalfOf: "", text: "y", atMs: 0 }],
  },
};

const selecting = {
  views: {
    shop: { selector: "app=shop" },
    broken: { selector: "app=shop,@status=critical" },
    elsewhere: { selector: "app=shop,@realm=ams" },
    never: { selector: "app=nothing" },
    all: { selector: "@kind=host" },
  },
  sinks: { s: { type: "http", url: "x", selector: "app=shop,@kind=host" }, all: { type: "http", url: "x" } },
  slos: { x: { selector: "@name=b", target: 99 } },
  ui: { availability: {}, panels: { p: { query: "q", selector: "app" } } },
};

const radii: [name: string, after: object, lines: string[]][] = [
  ["nothing", { ...base, ...selecting }, []],
  [
    "what people attached goes with the object; recurring downtimes are not lost",
    { ...base, ...selecting, hosts: { ...hosts, a: host() } },
    [
      'service "s" on host "a" is removed, and with it the acknowledgement of "ann": "on it"',
      'service "s" on host "a" is removed, and with it the downtime of "bea": "disk is swapped"',
      'service "s" on host "a" is removed, and with it the comment of "cid"',
    ],
  ],
  [
    "selections run dry, whatever the status and the realm are",
    { ...base, ...selecting, hosts: { ...hosts, b: host() } },
    [
      'view "shop" would match no object: the only object it matched would be removed or changed',
      'view "broken" would match no object: the only object it matched would be removed or changed',
      'view "elsewhere" would match no object: the only object it matched would be removed or changed',
      'sink "s" would match no object: the only object it matched would be removed or changed',
      'panel "p" would match no object: the only object it matched would be removed or changed',
    ],
  ],
  ["a removed selection is not reported as emptied", { ...base, hosts: { ...hosts, b: host() } }, []],
];
for (const [name, after, lines] of radii)
  test(`blast radius: ${name}`, () => {
    const diff = diffPlans(plan({ ...base, ...selecting }), plan(after));
    assert.deepEqual(formatBlastRadius(blastRadius(diff, (ref) => attached[ref])), lines);
  });

test("every section of a plan is compared", () => {
  const before = plan(base);
  for (const [key, value] of Object.entries(before)) {
    if (key === "hash" || key === "objects") continue;
    const entry = { name: "new", selector: "", refs: [], dependents: [] };
    const other = Array.isArray(value) ? [entry] : value instanceof Map ? new Map([["new", entry]]) : { new: 1 };
    const { sections } = diffPlans(before, { ...before, [key]: other });
    assert.equal(sections.size, 1, key);
  }
});

test("the check signature of an object does not change between releases, because the journal stores its hash", () => {
  const command = { type: "command", command: "c", args: ["1"], flap: {} };
  const compiled = plan({ ...base, hosts: { a: host({ check: command, services: { s: { check } } }) } });
  const schedule = `{"checkIntervalMs":60000,"retryIntervalMs":15000,"timeoutMs":10000,"maxAttempts":3,"checkPeriod":""}`;
  assert.deepEqual(
    [...compiled.objects.values()].map((object) => checkSignature(object, compiled)),
    [
      `[{"type":"command","command":"c","args":["1"]},${schedule},{"line":"ping a","shell":false}]`,
      `[{"type":"icmp","host":"h"},${schedule},null]`,
      `[{"kind":"ref","ref":"a"},"hard",false,false]`,
    ],
  );
});
