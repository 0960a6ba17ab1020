import { setTimeout as sleep } from "node:timers/promises";
import { idempotencyKeyHeader } from "@realmwatch/shared/model/idempotency-key";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { hostTarget } from "../../run/rows.ts";
import { type PairEnvironment, pairHosts } from "./pair-environment.ts";

/** Answers to the clients. A command is repeated with its key, at either member, until it is accepted. */
export type PairClientRecord = {
  /** Texts of accepted comments. */
  readonly comments: string[];
  /** Outputs of accepted results, each of which changed the status of its host. */
  readonly results: string[];
  /** Number of answers by code; empty for a call without a response. */
  readonly refusals: Map<string, number>;
  /** Attempts of each accepted command by its text, for the message of a failure. */
  readonly told: Map<string, string>;
  /** Answers that no fault explains. */
  readonly faults: string[];
};

export type PairLoad = {
  readonly record: PairClientRecord;
  /** Resolves when the commands under way are accepted. */
  stop(): Promise<void>;
};

/** Codes of answers after which a command is sent again: it was not accepted, or its outcome is unknown. */
const repeatable = ["unavailable", "deadline_exceeded", "aborted", "canceled", ""];

/** Runs clients that change hosts and add comments at either member. `pauseMs`: longest pause between commands. */
export function startPairLoad(
  scope: TestScope,
  { members }: PairEnvironment,
  random: SeededRandom,
  pauseMs = 60,
): PairLoad {
  const record: PairClientRecord = { comments: [], results: [], refusals: new Map(), told: new Map(), faults: [] };
  let isStopped = false;
  let isAbandoned = false;
  let next = 0;
  const send = async (rpc: string, body: object, text: string): Promise<boolean> => {
    const key = `load-${next++}`;
    const attempts: string[] = [];
    for (;;) {
      if (isAbandoned) return false;
      const { name, program } = random.oneOf(members);
      const sentMs = Math.round(performance.now());
      const { ok, code, message } = await callOnce(`${program.base}/svc.v1.CommandService/${rpc}`, body, key);
      attempts.push(`${name} ${sentMs}-${Math.round(performance.now())} ms ${ok ? "ok" : `${code} ${message}`}`);
      if (ok) {
        record.told.set(text, attempts.slice(-10).join("; "));
        return true;
      }
      record.refusals.set(code, (record.refusals.get(code) ?? 0) + 1);
      if (!repeatable.includes(code)) {
        record.faults.push(`${rpc} ${key}: ${code} ${message}`);
        return false;
      }
      await sleep(30);
    }
  };
  const client = async (hosts: readonly string[]): Promise<void> => {
    const broken = new Set<string>();
    while (!isStopped) {
      const name = hosts[Math.floor(random.upTo(hosts.length))] ?? "";
      const output = `result ${next}`;
      const status = broken.has(name) ? "STATUS_OK" : "STATUS_CRITICAL";
      if (await send("ProcessCheckResult", { object: { host: { name } }, status, output }, output)) {
        record.results.push(output);
        if (!broken.delete(name)) broken.add(name);
      }
      const text = `comment ${next}`;
      if (await send("AddComment", { target: hostTarget(name), author: "ann", text }, text)) record.comments.push(text);
      await sleep(random.upTo(pauseMs));
    }
  };
  const half = pairHosts.length / 2;
  const running = Promise.all([client(pairHosts.slice(0, half)), client(pairHosts.slice(half))]);
  atEnd(scope, () => {
    [isStopped, isAbandoned] = [true, true];
  });
  return {
    record,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

async function callOnce(url: string, body: object, key: string) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", [idempotencyKeyHeader]: key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(4_000),
    });
    const text = await response.text();
    const { code = "", message = "" } = response.ok ? {} : (JSON.parse(text) as { code?: string; message?: string });
    return { ok: response.ok, code, message };
  } catch {
    return { ok: false, code: "", message: "" };
  }
}
