import type { DependencyPlan, HostPlan, ProcessPlan, RealmPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { Command } from "@realmwatch/shared/model/command";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { ok } from "@realmwatch/shared/model/result";
import type { Row } from "@realmwatch/shared/model/row";
import type { CheckResult } from "../engine/input.ts";
import { flap, schedule, tcpCheck } from "../engine/plans.fixture.ts";
import { readEachKept } from "./kept-object.ts";
import { openRealm } from "./open-realm.ts";
import type { Kept } from "./recover.ts";

const common = {
  check: tcpCheck,
  schedule: { ...schedule, maxAttempts: 1 },
  flap: { ...flap, enabled: false },
  ...{ policy: "all", vars: {}, digest: "", handler: "", handlerEnabled: true },
};
const aboutOf = (key: { kind: string }) => ({ key, labels: {}, parents: [], zone: "here" });

export const host = (name: string, more: Partial<HostPlan> = {}): HostPlan => {
  const key = { kind: "host", name } as const;
  const own = { ref: name, key, about: aboutOf(key), address: "", parents: [], children: [], services: [] };
  return { ...common, ...own, ...more } as unknown as HostPlan;
};
export const service = (host: string, name: string, more: Partial<ServicePlan> = {}): ServicePlan => {
  const key = { kind: "service", host, name } as const;
  return { ...common, ref: `${host}!${name}`, key, about: aboutOf(key), host, ...more } as unknown as ServicePlan;
};
export const process = (name: string, ...inputs: string[]): ProcessPlan => {
  const key = { kind: "process", name } as const;
  const rule = { kind: "worst", of: inputs.map((ref) => ({ kind: "ref", ref })) };
  const own = { ref: `process:${name}`, key, about: aboutOf(key), rule, inputs, states: "hard" };
  return { ...common, ...own, ignoreDowntime: false, ignoreAcknowledged: false } as unknown as ProcessPlan;
};
/** A dependency on the worst of `onRefs`, which fails on critical. */
export const dependency = (
  name: string,
  { onRefs, dependents, ...more }: Partial<DependencyPlan> & Pick<DependencyPlan, "onRefs" | "dependents">,
): DependencyPlan => ({
  ...{ name, dependents, onRefs, failsOn: ["critical"], suppress: "all", states: "hard", inherits: false, period: "" },
  on: { kind: "worst", of: onRefs.map((ref) => ({ kind: "ref", ref })) },
  ...more,
});

/** Everybody is told at once, by one policy called `all`. */
export const tellsAnn: Partial<RealmPlan> = {
  contacts: new Map([
    ["ann", { name: "ann", type: "email", labels: {}, notificationPeriod: "", address: "ann@test", groupWaitMs: 0 }],
  ]),
  policies: new Map([
    [
      "all",
      {
        period: "",
        levels: [{ contacts: ["ann"], threshold: 0, renotifyIntervalMs: 0, disabledKinds: [], period: "" }],
      },
    ],
  ]),
};

/** What a journal holds for the next start, objects as their texts. */
type KeptTexts = Pick<Kept, "program"> & { readonly states: readonly (readonly [ref: string, json: string])[] };

/** A realm with a clock that moves when told; its checks begin and never end by themselves. */
export async function openTestRealm(
  plan: RealmPlan,
  kept: Partial<KeptTexts> = {},
  atMs = Date.parse("2026-03-10T12:00Z"),
) {
  const clock = manualClock(atMs);
  const states = new Map(kept.states ?? []);
  let program = kept.program;
  const history: HistoryEntry[] = [];
  /** Each message, and `KIND ref` of it. */
  const messages: Notification[] = [];
  const told: string[] = [];
  /** Objects whose check has begun. */
  const checks: string[] = [];
  /** The object of each step of the engine. */
  const steps: string[] = [];
  const dropped: string[] = [];
  const rows = new Map<string, Row>();
  const open = await openRealm({
    ...{ name: "fra", plan, clock, epoch: 1, source: "fra", zones: new Set(["here"]), maxConcurrentChecks: 1000 },
    journal: {
      append: async (batch) => {
        for (const { ref, state } of batch.states) state === undefined ? states.delete(ref) : states.set(ref, state);
        program = batch.program ?? program;
        history.push(...batch.history);
        return ok({ lastHistorySeq: history.length });
      },
    },
    kept: {
      program: undefined,
      commands: [],
      lastCommandSeq: 0,
      recordedCommandSeq: 0,
      ...kept,
      states: new Map(readEachKept(states, atMs)),
    },
    run: ({ ref }) => {
      checks.push(ref);
      return new Promise(() => {});
    },
    listeners: {
      told: (changes) => {
        for (const { change } of changes) {
          if (change.kind === "put") rows.set(refOf(change.row.about.key), change.row);
          else rows.delete(refOf(change.key));
        }
      },
      catalogChanged: () => {},
      historyAdvanced: () => {},
      notify: (some) => {
        messages.push(...some);
        told.push(...some.map(({ kind, key }) => `${kind} ${refOf(key)}`));
      },
      handle: () => {},
      journalFailed: () => {},
      journalHealed: () => {},
      resultDropped: (why) => void dropped.push(why),
      checkEnded: () => {},
    },
  });
  const surroundingsOf = open.realm.surroundingsOf.bind(open.realm);
  open.realm.surroundingsOf = (record, nowMs) => {
    steps.push(record.plan.ref);
    return surroundingsOf(record, nowMs);
  };
  /** Lets every round that waits run to its end. */
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) {
      await new Promise((go) => setImmediate(go));
      clock.advance(0);
    }
  };
  let seq = 0;
  const submit = (ref: string, status: CheckResult["status"], more: Partial<CheckResult> = {}): void => {
    const result: CheckResult = {
      ...{ status, output: status, longOutput: "", perfdata: [], executedAtMs: clock.now() },
      ...{ latencyMs: undefined, executionMs: undefined, source: "", origin: "passive" as const },
    };
    open.loop.submitResult(ref, { ...result, ...more });
  };
  return {
    ...open,
    ...{ clock, states, history, messages, told, checks, steps, dropped, rows, settle, submit },
    /** What a realm that comes after this one begins with. */
    kept: (): KeptTexts => ({ states: [...states], program }),
    /** Submits a result and waits for what comes of it. */
    async send(ref: string, status: CheckResult["status"], more: Partial<CheckResult> = {}): Promise<void> {
      submit(ref, status, more);
      await settle();
    },
    async command(command: Command): Promise<void> {
      seq += 1;
      open.loop.submitCommand({ seq, atMs: clock.now(), author: "ann", onBehalfOf: "", command });
      await settle();
    },
    async pass(ms: number): Promise<void> {
      clock.advance(ms);
      await settle();
    },
  };
}
