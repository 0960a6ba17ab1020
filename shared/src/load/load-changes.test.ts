import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { systemClock } from "../platform/system-clock.ts";
import { openLoader } from "./load-document.ts";
import { staticSample } from "./static-sample.fixture.ts";
import { templateSample } from "./template-sample.fixture.ts";

const loader = openLoader(systemClock);
const firstLoader = openLoader(systemClock);
after(() => Promise.all([loader.close(), firstLoader.close()]));

const order = (text: string) => ({
  source: { kind: "text", text, name: "a.cue" } as const,
  options: { realm: "r", localZone: "UTC" },
});

/** Plan or diagnostics of a document after those that were loaded before. */
async function load(text: string): Promise<unknown> {
  const loaded = await loader.plan(order(text));
  return loaded.ok ? [loaded.value.value, [...loaded.value.value.objects.keys()]] : loaded.error;
}

/** Plan or diagnostics of a document that is loaded as a whole: warnings are located in all of it. */
async function loadFirst(text: string): Promise<unknown> {
  const loaded = await firstLoader.plan({ ...order(text), lint: () => [] });
  return loaded.ok ? [loaded.value.value, [...loaded.value.value.objects.keys()]] : loaded.error;
}

const tail = `
processes: all: rule: {any: [{select: "tier=web"}, {ref: "host-3"}]}
dependencies: d: {dependents: [{select: "rack=r3"}], on: {ref: "host-1"}, fails_on: ["critical"]}
`;
const size = { hosts: 40, servicesPerHost: 2 };
const samples = {
  "plain data": staticSample(size) + tail,
  templates: templateSample(size).replace(/\ndep.*/, "") + tail,
};

const newHost = 'address: "n", check: {type: "icmp", host: "n", flap: {}}';
type Edit = readonly [from: string | RegExp, to: string];
/** Changes of the host `n`, or of what others see of it, and of what all share. Some make the document invalid. */
const edits = (n: number): readonly Edit[] => [
  [`address: "10.0.0.${n}"`, 'address: "10.9.9.9"'],
  ['tier: "web"', 'tier: "db"'],
  [/rack: "r\d+"/, 'rack: "r3"'],
  [new RegExp(`"host-${n}": `), `"renamed-${n}": `],
  [new RegExp(`\n\\s*"host-${n}": (\\{[\\s\\S]*?\n\t\\}|#Server[^\n]*)`), ""],
  ["hosts: {", `hosts: {\n  "new-${n}": {${newHost}, parents: ["host-${n}"]}`],
  [
    "hosts: {",
    `hosts: {\n  "new-${n}": {${newHost}, services: s: check: {type: "passive", flap: {}}}\n// "host-2": {\n`,
  ],
  ["hosts: {", `hosts: {\n  "host-${n}": {${newHost}}`],
  ["hosts: {", `hosts: {\n  "new": {${newHost}, parents: ["nowhere"]}`],
  [/parents: \[[^\]]*\]/, `parents: ["host-${n}"]`],
  [/\n(\s*"host-1": [\s\S]*?)\n(\s*"host-2": [\s\S]*?)\n(\s*"host-3": )/, "\n$2\n$1\n$3"],
  ["office: levels", 'office: period: "always"\nnotifications: office: levels'],
  [/$/, `dependencies: e${n}: {dependents: [{ref: "host-${n}"}], on: {ref: "host-0"}, fails_on: ["critical"]}\n`],
  [`address: "10.0.0.${n}"`, "address: 7"],
  [/labels: \{/, 'labels: {tier: "x y", '],
  ["contacts: ops", "contacts: nobody"],
];
const change = fc.nat({ max: 39 }).chain((n) => fc.constantFrom(...edits(n)));
const changes = fc.array(fc.array(change, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 });

for (const [name, text] of Object.entries(samples))
  test(`[RL23] [RL24] plan and diagnostics of ${name} are those of a first load after any changes`, async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (steps) => {
        let now = text;
        await load(now);
        for (const step of steps) {
          now = step.reduce((before, [from, to]) => before.replace(from, to), now);
          assert.deepEqual(await load(now), await loadFirst(now));
        }
      }),
      { numRuns: Number(process.env.LOAD_RUNS ?? (name === "templates" ? 3 : 8)) },
    );
  });
