import { rmSync } from "node:fs";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { runRealmwatch } from "../../run/cli.ts";
import type { FaultProxy } from "../../run/fault-proxy.ts";
import type { TestProgram } from "../../run/processes.ts";

/** Limit of a wait, ms: it makes a hang a failure, on a machine with other tests. */
export const patienceMs = 60_000;

/** Fields of `PairService/Get` that tests use. */
export type PairJson = {
  readonly self: string;
  readonly role: string;
  readonly active?: string;
  readonly inSync?: boolean;
  readonly degraded?: boolean;
  readonly documentsDiffer?: boolean;
  /** A number of 64 bits: a text in JSON. */
  readonly term?: string;
  readonly reason?: string;
  readonly lastTakeover?: { readonly reason: string; readonly to: string; readonly term: string };
};

/** Member of a pair under test, with its links. */
export type PairTestMember = {
  readonly name: string;
  readonly program: TestProgram;
  /** Path of its configuration file. */
  readonly document: string;
  /** Stops it and starts the program of a built checkout in its place; undefined: that of this one. */
  replace(checkout: string | undefined): Promise<void>;
  /** Its own link to NATS. */
  readonly nats: FaultProxy;
  /** Link over which the other member calls it. */
  readonly inward: FaultProxy;
  /** Stops the process where it is. */
  freeze(): void;
  thaw(): void;
  readonly isFrozen: boolean;
  /** Times at which it went on, on the clock of `performance.now()`. */
  readonly thawedAtMs: readonly number[];
};

/** Reads the pair of a member. Throws when it does not answer. */
export async function pairAt({ base }: Pick<TestProgram, "base">): Promise<PairJson> {
  const response = await fetch(`${base}/svc.v1.PairService/Get`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
    signal: AbortSignal.timeout(1_000),
  });
  return ((await response.json()) as { readonly pair: PairJson }).pair;
}

const active = "PAIR_ROLE_ACTIVE";
const standby = "PAIR_ROLE_STANDBY";

/** Waits until a member's answer fulfils a condition. */
export function untilPair(
  label: string,
  { name, program }: PairTestMember,
  condition: (pair: PairJson) => boolean,
): Promise<PairJson> {
  let last: PairJson | undefined;
  return until(
    `${name}: ${label}`,
    async () => {
      last = await pairAt(program);
      return condition(last) && last;
    },
    { withinMs: patienceMs, everyMs: 30, seen: () => last },
  );
}

export const isActive = ({ role }: PairJson): boolean => role === active;
export const isStandby = ({ role }: PairJson): boolean => role === standby;

/** Everywhere that a member tells people about its pair. */
type PairTold = {
  readonly ready: number;
  /** Page `/readyz`. */
  readonly page: string;
  /** Output of `realmwatch pair`. */
  readonly printed: string;
  readonly log: string;
  /** Metrics `realmwatch_pair_*` by the rest of their name. */
  readonly metrics: ReadonlyMap<string, number>;
};

/** Reads everything that a member tells people about its pair. */
export async function toldBy({ program: { base, output } }: PairTestMember): Promise<PairTold> {
  const page = await fetch(`${base}/readyz`);
  const metrics = await (await fetch(`${base}/metrics`)).text();
  const { stdout, stderr } = await runRealmwatch(["pair", "-server", base]);
  return {
    ready: page.status,
    page: await page.text(),
    printed: stdout + stderr,
    log: output(),
    metrics: new Map(
      [...metrics.matchAll(/^realmwatch_pair_(\w+) (\S+)$/gm)].map(([, name = "", value]) => [name, Number(value)]),
    ),
  };
}

/** Last lines of the logs of members, without those about clients and single notifications. */
export const lastLogs = (members: readonly PairTestMember[]): string =>
  members
    .map(({ name, program }) => {
      const lines = program
        .output()
        .split("\n")
        .filter((line) => !/"msg":"(RPC refused|notification )/.test(line));
      return `${name}:\n${lines.join("\n").slice(-6_000)}`;
    })
    .join("\n");

/** Kills a member, deletes its data and starts it again. */
export async function wipe(member: PairTestMember): Promise<void> {
  await killAndDelete(member);
  await member.program.restart();
}

export async function killAndDelete({ program }: PairTestMember): Promise<void> {
  await program.stop("SIGKILL");
  rmSync(program.dataDir, { recursive: true, force: true });
}

/** Hands the realm over by a call to a member. */
export async function switchPair({ program }: PairTestMember): Promise<void> {
  const answer = await call(program.base, "PairService/Switch");
  if (!answer.ok) throw new Error(`switch: ${answer.code} ${answer.message}`);
}

/** Makes a member active as an operator does, as soon as that is allowed. */
export async function promoteByForce({ name, program }: PairTestMember): Promise<void> {
  let last: unknown;
  await until(
    `${name} is promoted`,
    async () => {
      last = await runRealmwatch(["pair", "promote", "-force", "-yes", "-server", program.base]);
      return isActive(await pairAt(program));
    },
    { withinMs: patienceMs, everyMs: 200, seen: () => last },
  );
}
