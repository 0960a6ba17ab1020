import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Command } from "@realmwatch/shared/model/command";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import { fail, ok } from "@realmwatch/shared/model/result";
import type { Row } from "@realmwatch/shared/model/row";
import type { CheckResult } from "../engine/input.ts";
import type { ObjectState } from "../engine/state/object-state.ts";
import type { LoopJournal } from "./keeper.ts";
import { host, process, service } from "./loop.fixture.ts";
import { RealmLoop } from "./realm-loop.ts";
import { realmPlan } from "./realm-plan.fixture.ts";
import { newProgram, RealmState } from "./realm-state.ts";
import { noReplay } from "./replay.ts";

const objects: ObjectPlan[] = [
  host("edge", { children: ["web1"] }),
  host("web1", { parents: ["edge"], services: ["web1!http"] }),
  service("web1", "http"),
  process("shop", "web1!http"),
];
// Every plan here needs its own `about`, by which `told` finds the reference again.
for (const object of objects) Object.assign(object, { about: { key: object.key } });
const plan = realmPlan(objects);

type Scheduling = Extract<Command, { kind: "schedule_downtime" }>;
/** A downtime of the first minute on the clock of `openBareLoop`. */
export const scheduling = (ref: string, id: string, shape: Scheduling["shape"]): Command => ({
  kind: "schedule_downtime",
  downtimes: [{ id, ref }],
  startMs: 1_000_000,
  endMs: 1_060_000,
  comment: "",
  shape,
});

/** A journal in memory that fails when told to. What it was given last is what a restart would find. */
function memoryJournal() {
  const states = new Map<string, string | undefined>();
  const history: HistoryEntry[] = [];
  const self = { states, history, broken: false, appliedCommandSeq: 0, appends: 0 };
  const journal: LoopJournal = {
    append: async (batch) => {
      self.appends += 1;
      if (self.broken) return fail({ kind: "unavailable", what: "the disk is full" });
      for (const { ref, state } of batch.states) states.set(ref, state);
      history.push(...batch.history);
      self.appliedCommandSeq = batch.appliedCommandSeq;
      return ok({ lastHistorySeq: history.length });
    },
  };
  return Object.assign(self, { journal });
}

/**
 * A loop with nothing around it: the scheduler only notes what it is asked for, and checks end when the test says so.
 *
 * @param kept states that an earlier loop's journal was left with
 */
export function openBareLoop(kept: ReadonlyMap<string, ObjectState> = new Map()) {
  const clock = manualClock(1_000_000);
  const realm = new RealmState("fra", plan, newProgram(0));
  realm.fill(kept, clock.now());
  const journal = memoryJournal();
  const rows = new Map<string, Row>();
  const looks: string[] = [];
  const failures: string[] = [];
  const loop = new RealmLoop({
    clock,
    realm,
    journal: journal.journal,
    appliedCommandSeq: 0,
    replay: noReplay(),
    epoch: 7,
    scheduler: {
      ended: () => undefined,
      heard: () => undefined,
      checkNow: (ref) => void looks.push(`now ${ref}`),
      checkSoon: (ref) => void looks.push(`soon ${ref}`),
    },
    told: (changes) => {
      for (const { change } of changes)
        if (change.kind === "put")
          rows.set([...realm.records].find(([, r]) => r.plan.about === change.row.about)?.[0] ?? "", change.row);
    },
    programChanged: () => {},
    historyAdvanced: () => {},
    resultDropped: () => {},
    notify: () => {},
    handle: () => {},
    journalFailed: (why) => void failures.push(why),
    journalHealed: () => void failures.push("healed"),
  });
  const result = (status: CheckResult["status"]): CheckResult => ({
    status,
    output: status,
    longOutput: "",
    perfdata: [],
    executedAtMs: clock.now(),
    latencyMs: 0,
    executionMs: 1,
    source: "",
    origin: "active",
  });
  /** Lets every round that waits run to its end. */
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) {
      await new Promise((go) => setImmediate(go));
      clock.advance(0);
    }
  };
  let seq = 0;
  return {
    command: (command: Command) => {
      seq += 1;
      loop.submitCommand({ seq, atMs: clock.now(), author: "ann", onBehalfOf: "", command });
    },
    clock,
    realm,
    journal,
    rows,
    looks,
    failures,
    loop,
    settle,
    send: (ref: string, status: CheckResult["status"]) => loop.submitResult(ref, result(status)),
  };
}
