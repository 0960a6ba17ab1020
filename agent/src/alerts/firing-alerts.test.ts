import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FiringAlerts, parseStoredAlert } from "./firing-alerts.ts";
import type { MappedAlert } from "./mapped-alert.ts";

const alert = (key: string, ref: string, status: MappedAlert["status"], firesUntilMs?: number): MappedAlert => ({
  ...{ key, ref, status, output: `${key} ${status}`, longOutput: "", source: "receiver prom" },
  firesUntilMs,
});
const resultsOf = (firing: FiringAlerts, alerts: readonly MappedAlert[], nowMs = 0): string[] =>
  firing.apply(alerts, nowMs).results.map(({ ref, status, output }) => `${ref}: ${status} (${output})`);

test("[AR5] the worst alert that fires decides, of two alike the newer one, and the others follow when it ends", () => {
  const firing = new FiringAlerts();
  const steps: [alerts: MappedAlert[], results: string[]][] = [
    [[alert("a", "web1", "warning", 9)], ["web1: warning (a warning)"]],
    [[alert("b", "web1", "critical", 9)], ["web1: critical (b critical)"]],
    [[alert("a", "web1", "warning", 9)], ["web1: critical (b critical)"]],
    [[alert("c", "web1", "unknown", 9)], ["web1: critical (b critical)"]],
    [[alert("b", "web1", "critical")], ["web1: unknown (c unknown)"]],
    [[alert("d", "web1", "unknown", 9)], ["web1: unknown (d unknown)"]],
    [[alert("c", "web1", "unknown", 9)], ["web1: unknown (d unknown)"]],
    [[alert("c", "web1", "unknown"), alert("d", "web1", "unknown")], ["web1: warning (a warning)"]],
    [[alert("a", "web1", "warning")], ["web1: ok (resolved: a warning)"]],
    [[alert("z", "web2", "critical")], ["web2: ok (resolved: z critical)"]],
  ];
  for (const [at, [alerts, results]] of steps.entries()) assert.deepEqual(resultsOf(firing, alerts, at), results);
  assert.equal(firing.size, 0);
});

test("[AR12] an alert that is about another object now no longer counts for the first one", () => {
  const firing = new FiringAlerts();
  resultsOf(firing, [alert("a", "web1", "critical", 9)]);
  assert.deepEqual(resultsOf(firing, [alert("a", "web2", "critical", 9)]), [
    "web1: ok (resolved: a critical)",
    "web2: critical (a critical)",
  ]);
});

test("[AR6] alerts whose end has passed are named once they are due, and again until they are resolved", () => {
  const firing = new FiringAlerts();
  resultsOf(firing, [alert("a", "web1", "critical", 5), alert("b", "web1", "warning", 7)]);
  assert.deepEqual([firing.nextEndMs, firing.ended(4).length], [5, 0]);
  assert.deepEqual([firing.ended(6).map(({ key }) => key), firing.ended(6).length, firing.nextEndMs], [["a"], 1, 5]);
  assert.deepEqual(resultsOf(firing, firing.ended(6), 6), ["web1: warning (b warning)"]);
  assert.deepEqual(
    [resultsOf(firing, firing.ended(8), 8), firing.nextEndMs],
    [["web1: ok (resolved: b warning)"], Infinity],
  );
});

const anyAlert = fc
  .tuple(
    fc.constantFrom("a", "b", "c", "d"),
    fc.constantFrom("web1", "web2"),
    fc.constantFrom("critical", "warning", "unknown"),
    fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
  )
  .map(([key, ref, status, until]) => alert(key, ref, status, until));

test("[AR5, AR13, AR20] results equal those of a plain list of alerts, the journal has it, and an undone change leaves no trace", () => {
  const ranks = ["ok", "warning", "unknown", "critical"] as const;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(anyAlert, { maxLength: 4 }), fc.boolean()), { maxLength: 12 }), (steps) => {
      const firing = new FiringAlerts();
      let plain: readonly MappedAlert[] = [];
      const journal = new Map<string, string>();
      for (const [at, [alerts, undone]] of steps.entries()) {
        let next = plain;
        for (const one of alerts)
          next = [...next.filter(({ key }) => key !== one.key), ...(one.firesUntilMs === undefined ? [] : [one])];
        const change = firing.apply(alerts, at);
        for (const { ref, status } of change.results) {
          const worst = Math.max(0, ...next.filter((one) => one.ref === ref).map((one) => ranks.indexOf(one.status)));
          assert.equal(status, ranks[worst]);
        }
        if (undone) change.undo();
        else {
          plain = next;
          for (const { key } of change.changes) journal.delete(key);
          for (const { key, json } of change.changes) if (json !== undefined) journal.set(key, json);
          assert.equal(new Set(change.changes.map(({ key }) => key)).size, change.changes.length);
          const stored = [...journal].map(([key, json]) => [key, parseStoredAlert({ key, json })] as const);
          assert.deepEqual(new Map(stored), new Map([...firing].map((one) => [one.key, one])));
        }
        const keysOf = (some: Iterable<MappedAlert>) =>
          [...some].map(({ key, ref, status }) => key + ref + status).sort();
        assert.deepEqual(keysOf(firing), keysOf(plain));
        assert.equal(firing.nextEndMs, Math.min(Infinity, ...plain.map((one) => one.firesUntilMs ?? Infinity)));
      }
    }),
  );
});
