import { setTimeout as sleep } from "node:timers/promises";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { call } from "../run/call.ts";

/** Answer of an aggregator about one realm: its record, and its rows by host. */
export type SampledAnswer = {
  readonly freshness: string;
  readonly rowsHeld: number;
  readonly rows: ReadonlyMap<string, { readonly status: string; readonly stale: boolean }>;
};

type AnswerSamples = {
  /** Number of answers about the realm. */
  answers(): number;
  /** Number of answers that lacked what the realm has. */
  outdated(): number;
  /** Answers that lacked it and were current, or had a row that was not stale. */
  failures(): readonly string[];
  stop(): Promise<void>;
};

const sampleEveryMs = 50;
const mostSampleFailures = 5;

/**
 * Reads the rows of a realm repeatedly, from the first answer at an address on, where the aggregator may start later.
 *
 * @param isWhole true when an answer has the rows that the realm has now
 */
export function sampleAnswers(
  scope: TestScope,
  base: string,
  { realm, isWhole }: { readonly realm: string; readonly isWhole: (answer: SampledAnswer) => boolean },
): AnswerSamples {
  const counts = { answers: 0, outdated: 0 };
  const failures: string[] = [];
  let stopped = false;

  function take(answer: SampledAnswer): void {
    counts.answers += 1;
    if (isWhole(answer)) return;
    counts.outdated += 1;
    const rows = [...answer.rows.values()];
    if (answer.freshness !== "REALM_FRESHNESS_CURRENT" && rows.every(({ stale }) => stale)) return;
    if (failures.length < mostSampleFailures)
      failures.push(`${realm} at ${base} is ${answer.freshness} with ${JSON.stringify([...answer.rows])}`);
  }
  const ended = (async () => {
    while (!stopped) {
      const answer = await call(base, "QueryService/ListStatus").catch(() => undefined);
      const sample = answer?.ok ? sampledAnswer(answer.body, realm) : undefined;
      if (sample !== undefined) take(sample);
      await sleep(sampleEveryMs);
    }
  })();
  async function stop(): Promise<void> {
    stopped = true;
    await ended;
  }
  atEnd(scope, stop);
  return { answers: () => counts.answers, outdated: () => counts.outdated, failures: () => failures, stop };
}

type JsonAnswer = {
  readonly realms?: readonly { readonly name: string; readonly freshness: string; readonly rowsHeld?: number }[];
  readonly rows?: readonly {
    readonly realm: string;
    readonly object: { readonly host: { readonly name: string } };
    readonly status: string;
    readonly stale?: boolean;
  }[];
};

function sampledAnswer(body: JsonAnswer, name: string): SampledAnswer | undefined {
  const realm = body.realms?.find((listed) => listed.name === name);
  if (realm === undefined) return undefined;
  const rows = (body.rows ?? [])
    .filter((row) => row.realm === name)
    .map(({ object, status, stale = false }) => [object.host.name, { status, stale }] as const);
  return { freshness: realm.freshness, rowsHeld: realm.rowsHeld ?? 0, rows: new Map(rows) };
}
