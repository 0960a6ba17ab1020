import { closeSync, constants, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { call } from "../../run/call.ts";
import { hostTarget } from "../../run/rows.ts";

/** What a client knows of a call: `unknown` got no answer, so that it may have come to pass or not. */
export type CallOutcome = "ok" | "refused" | "unknown";
export type SentCall = {
  /** What its audit record says as request id. */
  readonly id: string;
  readonly rpc: string;
  readonly fate: CallOutcome;
};

/** All that clients know after a while of load. */
export type ClientRecord = {
  readonly sent: SentCall[];
  /** Comments by their text, which is never the same twice: the id where the agent said one, and whether it is there. */
  readonly comments: Map<string, { host: string; id: string; there: boolean | undefined }>;
  /** Results that change nothing, by host, in the order in which they were sent. */
  readonly quiet: Map<string, { readonly number: number; readonly fate: CallOutcome }[]>;
  /** Numbers of the batches of results, in the order in which they were sent. */
  readonly batches: { readonly number: number; readonly status: string; readonly fate: CallOutcome }[];
  /** What the last call of its kind set; undefined where that is not known. */
  readonly last: Map<"notifications" | "checks" | "acknowledged" | "program", boolean | undefined>;
  /** Texts written to the command file. */
  readonly lines: string[];
};

export const newClientRecord = (): ClientRecord => ({
  ...{ sent: [], comments: new Map(), quiet: new Map(), batches: [], last: new Map(), lines: [] },
});

/** The longest pause between two batches of results, ms. */
const batchPauseMs = 600;

export type ClientLoad = {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fifo: string;
  readonly chance: SeededRandom;
  readonly ledger: ClientRecord;
  /** Makes texts and ids that never come again. */
  next(): number;
};

/** Names of the hosts that batches break and mend. */
export const batchHosts = Array.from({ length: 20 }, (_, n) => `p${n}`);
/** Names of hosts that are well all the time. */
export const stableHosts = ["q0", "q1", "q2", "q3", "q4"] as const;
/** Names of the hosts that comments are about: of one somebody moves the switches. */
export const commentedHosts = ["c0", "q0", "q1"] as const;

/**
 * Five clients that send commands, one that sends batches of results and one that writes to the command file, each as
 * fast as it may. Ends when `stop` says so, and with the calls that were on their way.
 */
export async function runLoad(parts: ClientLoad, stop: () => boolean): Promise<void> {
  const repeat = async (step: () => Promise<unknown>): Promise<void> => {
    while (!stop()) {
      await step();
      await sleep(parts.chance.upTo(12));
    }
  };
  await Promise.all([
    ...Array.from({ length: 2 }, () => repeat(() => sendComment(parts))),
    repeat(() => sendEqualResult(parts)),
    repeat(() => sendSwitch(parts)),
    repeat(() => sendOther(parts)),
    // Each of them is twenty messages, and a contact is told one after the other.
    repeat(async () => {
      await sendBatch(parts);
      await sleep(parts.chance.upTo(batchPauseMs));
    }),
    writeLines(parts, stop),
  ]);
}

async function send(
  parts: ClientLoad,
  rpc: string,
  body: object,
): Promise<{ fate: CallOutcome; body: Record<string, unknown> }> {
  const id = `load-${parts.next()}`;
  let fate: CallOutcome = "unknown";
  let said: Record<string, unknown> = {};
  try {
    const answer = await call(parts.base, `CommandService/${rpc}`, body, { ...parts.headers, "x-request-id": id });
    fate = answer.ok ? "ok" : "refused";
    said = answer.body;
  } catch {
    // The agent was killed before it answered.
  }
  parts.ledger.sent.push({ id, rpc, fate });
  return { fate, body: said };
}

/** Comments stay few: where there are many one goes for each that comes. */
async function sendComment(parts: ClientLoad): Promise<void> {
  const { comments } = parts.ledger;
  const known = [...comments.values()].filter(({ id, there }) => id !== "" && there === true);
  const victim = known.length > 30 ? known[Math.floor(parts.chance.upTo(known.length))] : undefined;
  if (victim !== undefined) {
    // Nobody else takes it meanwhile.
    victim.there = undefined;
    const { fate } = await send(parts, "DeleteComment", { commentId: victim.id });
    if (fate === "ok") victim.there = false;
    return;
  }
  const text = `comment ${parts.next()}`;
  const host = parts.chance.oneOf(commentedHosts);
  const { fate, body } = await send(parts, "AddComment", { target: hostTarget(host), author: "ann", text });
  const there = fate === "unknown" ? undefined : fate === "ok";
  comments.set(text, { host, id: fate === "ok" ? String(body["commentId"]) : "", there });
}

/** One more result of the same; its output says which. */
async function sendEqualResult(parts: ClientLoad): Promise<void> {
  const number = parts.next();
  const name = parts.chance.oneOf(stableHosts);
  const result = { object: { host: { name } }, status: "STATUS_OK", output: `quiet ${number}` };
  const { fate } = await send(parts, "ProcessCheckResult", result);
  parts.ledger.quiet.set(name, [...(parts.ledger.quiet.get(name) ?? []), { number, fate }]);
}

async function sendSwitch(parts: ClientLoad): Promise<void> {
  const { last } = parts.ledger;
  const enabled = parts.chance.upTo(2) < 1;
  const which = parts.chance.oneOf(["notifications", "checks", "acknowledged", "program"]);
  const target = hostTarget("c0");
  const set = async (name: typeof which, rpc: string, body: object): Promise<void> => {
    const { fate } = await send(parts, rpc, body);
    if (fate !== "refused") last.set(name, fate === "ok" ? enabled : undefined);
  };
  if (which === "notifications") return set(which, "SetObjectNotifications", { target, enabled });
  if (which === "checks")
    return set(which, "SetObjectToggle", { target, toggle: "OBJECT_TOGGLE_PASSIVE_CHECKS", enabled });
  if (which === "program") return set(which, "SetProgramToggle", { toggle: "PROGRAM_TOGGLE_EVENT_HANDLERS", enabled });
  if (!enabled) return set("acknowledged", "RemoveAcknowledgement", { target: hostTarget("broken") });
  return set("acknowledged", "AcknowledgeProblem", { target: hostTarget("broken"), author: "ann", comment: "known" });
}

async function sendOther(parts: ClientLoad): Promise<void> {
  const turn = Math.floor(parts.chance.upTo(4));
  if (turn === 0) await send(parts, "ScheduleCheck", { target: hostTarget("t0") });
  // What is refused leaves no trace but its own audit record.
  else if (turn === 1) await send(parts, "DeleteComment", { commentId: "no such comment" });
  else if (turn === 2)
    await send(parts, "SendCustomNotification", { target: hostTarget("broken"), author: "ann", comment: "hear" });
  else {
    const nowMs = Date.now();
    const [start, end] = [new Date(nowMs + 3_600_000), new Date(nowMs + 7_200_000)];
    const downtime = { target: hostTarget("d0"), author: "ann", comment: "later", fixed: {}, start, end };
    const { fate, body } = await send(parts, "ScheduleDowntime", downtime);
    const [downtimeId] = (body["downtimeIds"] ?? []) as string[];
    if (fate === "ok" && downtimeId !== undefined) await send(parts, "DeleteDowntime", { downtimeId });
  }
}

/** Breaks or mends every passive host at once; the output says which batch it was. */
async function sendBatch(parts: ClientLoad): Promise<void> {
  const number = parts.next();
  const status = parts.chance.upTo(2) < 1 ? "STATUS_OK" : "STATUS_CRITICAL";
  const results = batchHosts.map((name) => ({ object: { host: { name } }, status, output: `batch ${number}` }));
  const { fate } = await send(parts, "ProcessCheckResults", { results });
  parts.ledger.batches.push({ number, status, fate });
}

/** Whoever writes to a command file gets no answer: each line comes to pass once or not at all. */
async function writeLines({ fifo, ledger, next, chance }: ClientLoad, stop: () => boolean): Promise<void> {
  const file = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    while (!stop()) {
      const text = `line ${next()}`;
      ledger.lines.push(text);
      try {
        writeSync(file, `[${Math.floor(Date.now() / 1000)}] ADD_HOST_COMMENT;e0;1;nagios;${text}\n`);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
      await sleep(chance.upTo(30));
    }
  } finally {
    closeSync(file);
  }
}
