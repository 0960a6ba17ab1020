import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { RealmPlan } from "../config/plan.ts";
import { formatDiagnostic } from "../model/diagnostic.ts";
import { systemClock } from "../platform/system-clock.ts";
import { openLoader } from "./load-document.ts";
import { staticSample } from "./static-sample.fixture.ts";
import { templateSample } from "./template-sample.fixture.ts";

const loader = openLoader(systemClock);
after(() => loader.close());

/** Loads a document after those before it. `isFirst`: as a whole, as the first one. */
async function load(text: string, { isFirst = false } = {}): Promise<RealmPlan> {
  const source = { kind: "text", text, name: "a.cue" } as const;
  const lint = isFirst ? () => [] : undefined;
  const loaded = await loader.plan({ source, options: { realm: "r", localZone: "UTC" }, lint });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.value.value;
}

const size = { hosts: 60, servicesPerHost: 4 };
const samples = { "plain data": staticSample(size), templates: templateSample(size) };
const newHost = 'hosts: {\n  new: {address: "n", parents: ["host-1"], check: {type: "icmp", host: "n", flap: {}}}\n';
const newDependency = 'dependencies: d: {dependents: [{ref: "host-3"}], on: {ref: "host-1"}, fails_on: ["critical"]}\n';
/** Changes of a sample, with the number of objects that they change in plain data and in templates. */
const changes: readonly (readonly [from: string | RegExp, to: string, inData: number, inTemplates: number])[] = [
  ["", "", 0, 0],
  ["10.0.0.57", "10.9.9.9", 1, 3],
  ["hosts: {", newHost, 2, 2],
  ["office: levels", 'office: period: "always"\nnotifications: office: levels', 300, 292],
  [/$/, newDependency, 1, 1],
];

for (const [name, text] of Object.entries(samples))
  test(`[RL24] objects of ${name} that a change leaves alone stay, and the plan is that of a first load`, async () => {
    for (const [from, to, inData, inTemplates] of changes) {
      const now = text.replace(from, to);
      const old = await load(text);
      const again = await load(now);
      const first = await load(now, { isFirst: true });
      assert.deepEqual(again, first, to);
      assert.deepEqual([...again.objects.keys()], [...first.objects.keys()]);
      const made = [...again.objects.values()].filter((object) => old.objects.get(object.ref) !== object);
      assert.equal(made.length, name === "templates" ? inTemplates : inData, to);
    }
  });

test("[RL25] the expression for which CUE evaluates a document as a whole is known with its place", async () => {
  const reasonOf = async (text: string): Promise<string | undefined> => {
    const source = { kind: "text", text, name: "a.cue" } as const;
    const loaded = await loader.plan({ source, options: { realm: "r", localZone: "UTC" } });
    assert.ok(loaded.ok);
    return loaded.value.wholeReason && formatDiagnostic(loaded.value.wholeReason);
  };
  assert.equal(await reasonOf(samples.templates), undefined);
  const line = samples.templates.split("\n").length + 1;
  assert.equal(await reasonOf(`${samples.templates}\n_count: len(hosts)\n`), `a.cue:${line}:13: this refers to hosts`);
});
