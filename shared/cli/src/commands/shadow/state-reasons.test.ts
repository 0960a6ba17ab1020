import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dialect, ObservedObject } from "./observed-object.ts";
import { observedObject as observed, softObject as soft } from "./shadow-objects.fixture.ts";
import type { ShadowedObject } from "./shadow-results.ts";
import { StateDifferences } from "./state-differences.ts";

/** Compares the agent's object with those of the other system. */
function compare(
  differences: StateDifferences,
  own: ShadowedObject,
  { dialect, objects, parents = new Map() }: Compared,
): void {
  const observation = { dialect, objects, known: new Set([own.ref]) };
  differences.compare(observation, { objects: new Map([[own.ref, own]]), parents }, 0);
}
type Compared = {
  readonly dialect: Dialect;
  readonly objects: readonly ObservedObject[];
  readonly parents?: ReadonlyMap<string, readonly string[]>;
};

test("[SH16] a problem that Nagios makes soft again is counted apart, until both agree", () => {
  const differences = new StateDifferences();
  const own = soft(3, { isHard: true, checkedAtMs: 100_000 });
  const read = (object: ObservedObject) => compare(differences, own, { dialect: "nagios", objects: [object] });
  for (const attempt of [1, 2]) read(observed({ wasHardProblem: true, attempt }));
  read(observed({ isHard: true }));
  assert.deepEqual([differences.list(), differences.reasons.counts], [[], { soft_again: 1 }]);
  read(observed());
  assert.equal(differences.list().length, 1);
});

test("[SH16] Icinga 2 counts attempts behind a host that is down, Nagios does not", () => {
  const own = soft(3, { isHard: true, checkedAtMs: 100_000 });
  const host = observed({ ref: "web1", isHard: true });
  const service = observed({ attempt: 2 });
  for (const [dialect, differ] of [
    ["icinga2", 0],
    ["nagios", 1],
  ] as const) {
    const differences = new StateDifferences();
    compare(differences, own, { dialect, objects: [host, service] });
    assert.deepEqual(
      [differences.list().length, differences.reasons.counts.hard_behind_host ?? 0],
      [differ, 1 - differ],
    );
    // The host is back, and the attempts there are not over.
    compare(differences, own, { dialect, objects: [{ ...host, status: "ok" }, service] });
    assert.equal(differences.list().length, differ);
  }
});

test("[SH16] Icinga 2 ignores parents that are down and soft, until they turn hard", () => {
  const own = soft(2, { ref: "h5", status: "unreachable", checkedAtMs: 100_000, suppressedBy: ["h1"] });
  const host = observed({ ref: "h5", attempt: 2 });
  const parent = observed({ ref: "h1", attempt: 1 });
  for (const [dialect, parents, differ] of [
    ["icinga2", [parent], 0],
    ["icinga2", [{ ...parent, isHard: true }], 1],
    ["nagios", [parent], 1],
  ] as const) {
    const differences = new StateDifferences();
    compare(differences, own, { dialect, objects: [host, ...parents] });
    assert.deepEqual([differences.list().length, differences.reasons.counts.soft_parent ?? 0], [differ, 1 - differ]);
  }
});

test("[SH16] Icinga 2 takes a host for unreachable when an ancestor is down, also behind a parent that is up", () => {
  const own = soft(2, { ref: "h5", status: "critical", checkedAtMs: 100_000 });
  const host = observed({ ref: "h5", status: "unreachable", attempt: 2 });
  const parents = new Map([
    ["h5", ["h4"]],
    ["h4", ["h1"]],
    ["h1", ["h0"]],
  ]);
  for (const [dialect, down, differ] of [
    ["icinga2", "h1", 0],
    ["icinga2", "h0", 0],
    ["icinga2", "h4", 1],
    ["icinga2", "h9", 1],
    ["nagios", "h1", 1],
  ] as const) {
    const differences = new StateDifferences();
    compare(differences, own, { dialect, objects: [host, observed({ ref: down, isHard: true })], parents });
    assert.deepEqual([differences.list().length, differences.reasons.counts.ancestor ?? 0], [differ, 1 - differ]);
  }
});

for (const [what, fields, reason] of [
  ["the submitted status", { status: "unreachable", isHard: true }, "passive_host"],
  ["the submitted status, hard at once", { status: "unreachable" }, "passive_host"],
  ["a hard state at once", { status: "critical" }, "passive_attempts"],
  ["a state that is not that of the agent", { status: "ok", isHard: true }, undefined],
] as const)
  test(`[SH16] a passive host of Nagios has ${what}; for one that is checked it is a difference`, () => {
    for (const isPassive of [true, false]) {
      const differences = new StateDifferences();
      const own = soft(1, { ref: "h5", checkedAtMs: 100_000, ...fields });
      const host = observed({ ref: "h5", isPassive, isHard: true });
      compare(differences, own, { dialect: "nagios", objects: [host] });
      const isCounted = isPassive && reason !== undefined;
      assert.deepEqual(differences.reasons.counts, isCounted ? { [reason]: 1 } : {});
      assert.equal(differences.list().length, isCounted ? 0 : 1);
    }
  });
