import { closeSync, constants, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { call } from "../../run/call.ts";
import { hostTarget } from "../../run/rows.ts";

/** Outcome of a call for its client. `unknown`: no response arrived, so that it may or may not have taken effect. */
type CallOutcome = "ok" | "refused" | "unknown";
type SentCall = {
  /** Request id, which the audit record has too. */
  readonly id: string;
  readonly rpc: string;
  readonly outcome: CallOutcome;
};

/** Calls of all clients with their outcomes, in the order in which they were sent. */
export type ClientRecord = {
  readonly sent: SentCall[];
  /** Comments by their unique text: the id if the agent returned one; `there` is undefined when the outcome is unknown. */
  readonly comments: Map<string, { host: string; id: string; there: boolean | undefined }>;
  /** Results equal to the state of their host, by host. */
  readonly equalResults: Map<string, { readonly number: number; readonly outcome: CallOutcome }[]>;
  /** Batches of results, by number. */
  readonly batches: { readonly number: number; readonly status: string; readonly outcome: CallOutcome }[];
  /** Value that the last call of its kind set; undefined when its outcome is unknown. */
  readonly last: Map<"notifications" | "checks" | "acknowledged" | "program", boolean | undefined>;
  /** Texts written to the command file. */
  readonly lines: string[];
};

export const newClientRecord = (): ClientRecord => ({
  ...{ sent: [], comments: new Map(), equalResults: new Map(), batches: [], last: new Map(), lines: [] },
});

/** Longest pause between two batches of results, ms. */
const batchPauseMs = 600;

type ClientLoad = {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fifo: string;
  readonly random: SeededRandom;
  readonly record: ClientRecord;
  /** Returns the next of the numbers that make texts and ids unique. */
  next(): number;
};

/** Names of the hosts whose status the batches change. */
export const batchHosts = Array.from({ length: 20 }, (_, n) => `p${n}`);
/** Names of hosts that are always ok. */
export const stableHosts = ["q0", "q1", "q2", "q3", "q4"] as const;
/** Names of hosts with comments; the toggles of the first one are switched as well. */
export const commentedHosts = ["c0", "q0", "q1"] as const;

/**
 * Runs five clients that send commands, one that sends batches of results and one that writes to the command file, at
 * random short intervals. Resolves after `stop` returns true and all calls in flight have ended.
 */
export async function runLoad(load: ClientLoad, stop: () => boolean): Promise<void> {
  const repeat = async (step: () => Promise<unknown>): Promise<void> => {
    while (!stop()) {
      await step();
      await sleep(load.random.upTo(12));
    }
  };
  await Promise.all([
    ...Array.from({ length: 2 }, () => repeat(() => sendComment(load))),
    repeat(() => sendEqualResult(load)),
    repeat(() => sendSwitch(load)),
    repeat(() => sendOther(load)),
    // Each batch is twenty notifications, and a contact receives one after the other.
    repeat(async () => {
      await sendBatch(load);
      await sleep(load.random.upTo(batchPauseMs));
    }),
    writeLines(load, stop),
  ]);
}

async function send(
  load: ClientLoad,
  rpc: string,
  body: object,
): Promise<{ outcome: CallOutcome; body: Record<string, unknown> }> {
  const id = `load-${load.next()}`;
  let outcome: CallOutcome = "unknown";
  let response: Record<string, unknown> = {};
  try {
    const answer = await call(load.base, `CommandService/${rpc}`, body, { ...load.headers, "x-request-id": id });
    outcome = answer.ok ? "ok" : "refused";
    response = answer.body;
  } catch {
    // The agent was killed before it responded.
  }
  load.record.sent.push({ id, rpc, outcome });
  return { outcome, body: response };
}

/** Adds a comment or, when there are more than 30, deletes one. */
async function sendComment(load: ClientLoad): Promise<void> {
  const { comments } = load.record;
  const known = [...comments.values()].filter(({ id, there }) => id !== "" && there === true);
  const toDelete = known.length > 30 ? known[Math.floor(load.random.upTo(known.length))] : undefined;
  if (toDelete !== undefined) {
    // Claimed, so that no other client deletes it meanwhile.
    toDelete.there = undefined;
    const { outcome } = await send(load, "DeleteComment", { commentId: toDelete.id });
    if (outcome === "ok") toDelete.there = false;
    return;
  }
  const text = `comment ${load.next()}`;
  const host = load.random.oneOf(commentedHosts);
  const { outcome, body } = await send(load, "AddComment", { target: hostTarget(host), author: "ann", text });
  const there = outcome === "unknown" ? undefined : outcome === "ok";
  comments.set(text, { host, id: outcome === "ok" ? String(body["commentId"]) : "", there });
}

/** Submits one more OK result of a host that is ok, with its number as output. */
async function sendEqualResult(load: ClientLoad): Promise<void> {
  const number = load.next();
  const name = load.random.oneOf(stableHosts);
  const result = { object: { host: { name } }, status: "STATUS_OK", output: `equal ${number}` };
  const { outcome } = await send(load, "ProcessCheckResult", result);
  load.record.equalResults.set(name, [...(load.record.equalResults.get(name) ?? []), { number, outcome }]);
}

async function sendSwitch(load: ClientLoad): Promise<void> {
  const { last } = load.record;
  const enabled = load.random.upTo(2) < 1;
  const which = load.random.oneOf(["notifications", "checks", "acknowledged", "program"]);
  const target = hostTarget("c0");
  const set = async (name: typeof which, rpc: string, body: object): Promise<void> => {
    const { outcome } = await send(load, rpc, body);
    if (outcome !== "refused") last.set(name, outcome === "ok" ? enabled : undefined);
  };
  if (which === "notifications") return set(which, "SetObjectNotifications", { target, enabled });
  if (which === "checks")
    return set(which, "SetObjectToggle", { target, toggle: "OBJECT_TOGGLE_PASSIVE_CHECKS", enabled });
  if (which === "program") return set(which, "SetProgramToggle", { toggle: "PROGRAM_TOGGLE_EVENT_HANDLERS", enabled });
  if (!enabled) return set("acknowledged", "RemoveAcknowledgement", { target: hostTarget("broken") });
  return set("acknowledged", "AcknowledgeProblem", { target: hostTarget("broken"), author: "ann", comment: "known" });
}

async function sendOther(load: ClientLoad): Promise<void> {
  const turn = Math.floor(load.random.upTo(4));
  if (turn === 0) await send(load, "ScheduleCheck", { target: hostTarget("t0") });
  // A refused command has an audit record and no other effect.
  else if (turn === 1) await send(load, "DeleteComment", { commentId: "no such comment" });
  else if (turn === 2)
    await send(load, "SendCustomNotification", { target: hostTarget("broken"), author: "ann", comment: "test" });
  else {
    const nowMs = Date.now();
    const [start, end] = [new Date(nowMs + 3_600_000), new Date(nowMs + 7_200_000)];
    const downtime = { target: hostTarget("d0"), author: "ann", comment: "later", fixed: {}, start, end };
    const { outcome, body } = await send(load, "ScheduleDowntime", downtime);
    const [downtimeId] = (body["downtimeIds"] ?? []) as string[];
    if (outcome === "ok" && downtimeId !== undefined) await send(load, "DeleteDowntime", { downtimeId });
  }
}

/** Submits a status for all batch hosts in one call, with the batch's number as output. */
async function sendBatch(load: ClientLoad): Promise<void> {
  const number = load.next();
  const status = load.random.upTo(2) < 1 ? "STATUS_OK" : "STATUS_CRITICAL";
  const results = batchHosts.map((name) => ({ object: { host: { name } }, status, output: `batch ${number}` }));
  const { outcome } = await send(load, "ProcessCheckResults", { results });
  load.record.batches.push({ number, status, outcome });
}

/** Writes comments to the command file. Its writer gets no response: each line takes effect once or not at all. */
async function writeLines({ fifo, record, next, random }: ClientLoad, stop: () => boolean): Promise<void> {
  const file = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    while (!stop()) {
      const text = `line ${next()}`;
      record.lines.push(text);
      try {
        writeSync(file, `[${Math.floor(Date.now() / 1000)}] ADD_HOST_COMMENT;e0;1;nagios;${text}\n`);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
      await sleep(random.upTo(30));
    }
  } finally {
    closeSync(file);
  }
}
