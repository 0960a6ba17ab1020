import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { hostTarget, statusRows } from "../../run/rows.ts";
import { type FaultRealm, faultRealms } from "../fault-realms.ts";
import { type FederationEnvironment, objectsPerRealm } from "./federation-environment.ts";

/** Result of a command for its client: `accepted` is executed once, `refused` never, `unknown` once at most. */
type CommandVerdict = "accepted" | "refused" | "unknown";
type SentCommand = { readonly realm: FaultRealm; readonly text: string; verdict: CommandVerdict; answers: string[] };

/** Commands of a client that sends them with keys through all aggregators, during faults. */
export type CommandLedger = {
  /** Number of commands by verdict. */
  counts(): Readonly<Record<CommandVerdict, number>>;
  /** Holds back the commands to a realm, compares those sent with the realm, runs `work` and forgets them. */
  settle(realm: FaultRealm, work: () => Promise<void>): Promise<void>;
  /** Ends the client; resolves after the comparison of all realms. */
  finish(): Promise<void>;
};

/** Answers that say that a command was not executed. */
const refusals = new Set(["unavailable", "resource_exhausted"]);
const mostAttempts = 3;

export function startCommands(
  { agents, aggregators }: FederationEnvironment,
  random: SeededRandom,
  { clients, pauseMs }: { readonly clients: number; readonly pauseMs: number },
): CommandLedger {
  const commands = new Set<SentCommand>();
  const held = new Set<FaultRealm>();
  const inFlight = new Map<FaultRealm, number>();
  const totals: Record<CommandVerdict, number> = { accepted: 0, refused: 0, unknown: 0 };
  let stopped = false;
  let sent = 0;

  async function attempt(command: SentCommand, host: string, key: string): Promise<CommandVerdict> {
    const { program } = random.oneOf(aggregators as [(typeof aggregators)[0], ...typeof aggregators]);
    const request = { target: hostTarget(host), author: "soak", text: command.text };
    try {
      const { realm } = command;
      const answer = await call(
        program.base,
        "RealmCommandService/AddComment",
        { realm, request },
        { "idempotency-key": key },
      );
      command.answers.push(answer.ok ? "ok" : `${answer.code}: ${answer.message}`);
      if (answer.ok) return "accepted";
      if (refusals.has(answer.code)) return "refused";
      return answer.code === "deadline_exceeded" ? "unknown" : fail(command);
    } catch (error) {
      const cause = String((error as Error).cause ?? error);
      command.answers.push(cause);
      return /ECONNREFUSED/.test(cause) ? "refused" : "unknown";
    }
  }

  async function send(): Promise<void> {
    const realm = random.oneOf(faultRealms);
    if (held.has(realm)) return;
    sent += 1;
    const command: SentCommand = { realm, text: `command ${sent}`, verdict: "refused", answers: [] };
    const host = `h${Math.floor(random.upTo(objectsPerRealm))}`;
    const key = randomUUID();
    commands.add(command);
    inFlight.set(realm, (inFlight.get(realm) ?? 0) + 1);
    for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
      const verdict = await attempt(command, host, key);
      // A refused repeat says nothing about the attempt before it.
      if (verdict === "accepted" || command.verdict !== "unknown") command.verdict = verdict;
      if (verdict !== "unknown" || random.upTo(2) < 1) break;
    }
    totals[command.verdict] += 1;
    inFlight.set(realm, (inFlight.get(realm) ?? 0) - 1);
  }

  let failure: Error | undefined;
  const running = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!stopped) {
        await send().catch((error: Error) => (failure ??= error));
        await sleep(pauseMs);
      }
    }),
  );

  async function check(realm: FaultRealm): Promise<void> {
    if (failure !== undefined) throw failure;
    const base = agents.find((agent) => agent.realm === realm)?.program.base ?? "";
    const rows = await until(`${realm} answers`, () => statusRows(base), { withinMs: 60_000, everyMs: 200 });
    const executed = new Map<string, number>();
    for (const { comments = [] } of Object.values(rows))
      for (const { text } of comments) executed.set(text, (executed.get(text) ?? 0) + 1);
    for (const command of commands) {
      if (command.realm !== realm) continue;
      const times = executed.get(command.text) ?? 0;
      const [least, most] = { accepted: [1, 1], refused: [0, 0], unknown: [0, 1] }[command.verdict] as [number, number];
      if (times < least || times > most)
        throw new Error(`${realm}: "${command.text}" was executed ${times} times after ${command.answers.join("; ")}`);
    }
  }

  const forget = (realm: FaultRealm): void => {
    for (const command of commands) if (command.realm === realm) commands.delete(command);
  };

  return {
    counts: () => totals,
    async settle(realm, work) {
      held.add(realm);
      try {
        await until(`no command to ${realm} is in flight`, () => (inFlight.get(realm) ?? 0) === 0, {
          withinMs: 120_000,
        });
        await check(realm);
        await work();
        forget(realm);
      } finally {
        held.delete(realm);
      }
    },
    async finish() {
      stopped = true;
      await running;
      for (const realm of faultRealms) await check(realm);
    },
  };
}

function fail({ realm, text, answers }: SentCommand): never {
  throw new Error(`${realm}: "${text}" was answered with ${answers.join("; ")}`);
}
