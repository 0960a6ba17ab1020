import assert from "node:assert/strict";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import type { TestProgram } from "../../run/processes.ts";
import { faultRealms } from "../fault-realms.ts";
import { wholeHistory } from "../kills/stored-records.ts";
import type { UpdateFlow } from "./centre-flow.ts";

type StatusJson = {
  readonly realm?: string;
  readonly object: object;
  readonly revision: string;
  readonly output?: string;
  readonly stale?: boolean;
};
type Status = {
  readonly rows: readonly StatusJson[];
  readonly realms: readonly { readonly name: string; readonly reachable: boolean; readonly lastSeen?: string }[];
};

/** Complete response of ListStatus; undefined while the program does not respond or fails. */
export async function fullStatus(
  { base }: Pick<TestProgram, "base">,
  request: object = {},
): Promise<Status | undefined> {
  const answer = await call(base, "QueryService/ListStatus", { pageSize: 100_000, ...request }).catch(() => undefined);
  if (!answer?.ok) return undefined;
  assert.equal(answer.body["nextPageToken"] ?? "", "", "one page has all");
  const { rows = [], realms = [] } = answer.body as Partial<Status>;
  return { rows, realms };
}

/** Row as text with sorted keys, without the fields that differ between realm and centre. */
function canonical({ realm: _, revision: __, stale: ___, ...row }: StatusJson): string {
  return JSON.stringify(row, (_key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

const rowsAsText = ({ rows }: Status): string[] => rows.map(canonical).sort();

/** [FE2] Waits until a centre returns the rows of each realm as its agent does. Resolves to the time taken, ms. */
export async function waitForConvergence(centre: TestProgram, { realms }: Pick<UpdateFlow, "realms">): Promise<number> {
  const startedMs = performance.now();
  let differs = "";
  await until(
    "the centre has the rows of the realms",
    async () => {
      for (const name of faultRealms) {
        const [own, theirs] = [await fullStatus(realms[name]), await fullStatus(centre, { realm: name })];
        if (own === undefined || theirs === undefined) return false;
        const [expected, found] = [rowsAsText(own), rowsAsText(theirs)];
        const at = expected.findIndex((text, index) => text !== found[index]);
        differs = `${name}: ${expected.length} rows, ${found.length} there; ${expected[at]} is ${found[at]}`;
        if (at >= 0 || expected.length !== found.length) return false;
      }
      return true;
    },
    { withinMs: 60_000 },
  ).catch((error: unknown) => assert.fail(`${error}; ${differs}`));
  return performance.now() - startedMs;
}

/** [FE2] Waits until the centre has each history record of the realms, once and no others. Resolves to their number. */
export async function waitForWholeHistory(
  centre: TestProgram,
  { realms }: Pick<UpdateFlow, "realms">,
): Promise<number> {
  const own = new Set<string>();
  for (const name of faultRealms) for (const { id } of await wholeHistory(realms[name], {})) own.add(`${name} ${id}`);
  let progress = "";
  const ids = await until(
    "the centre has all history",
    async () => {
      const found = ((await wholeHistory(centre, {})) as { id: string; realm?: string }[]).map(
        ({ id, realm }) => `${realm} ${id}`,
      );
      const missing = [...own].filter((id) => !found.includes(id));
      progress = `${found.length} of ${own.size}, ${missing.length} missing, such as ${missing.slice(0, 3).join(", ")}`;
      return missing.length === 0 && found;
    },
    { withinMs: 60_000 },
  ).catch((error: unknown) => assert.fail(`${error}; ${progress}`));
  assert.equal(new Set(ids).size, ids.length, "no record is duplicated");
  assert.deepEqual(
    ids.filter((id) => !own.has(id)),
    [],
    "the centre has no other records",
  );
  return ids.length;
}

/** Waits until rows of each realm change at a centre: it works, independent of the other one. */
export async function waitForProgress(centre: TestProgram): Promise<void> {
  let problems: unknown;
  const before = await until(
    "the centre answers",
    async () => {
      const status = await fullStatus(centre);
      if (status === undefined) problems = await (await fetch(`${centre.base}/readyz`)).text();
      return status;
    },
    { seen: () => [problems, centre.output().slice(0, 5_000)] },
  );
  const revisions = new Map(
    before.rows.map(({ realm, object, revision }) => [`${realm} ${JSON.stringify(object)}`, revision]),
  );
  const changed = new Set<string>();
  await until(
    "rows of each realm change",
    async () => {
      for (const { realm = "", object, revision } of (await fullStatus(centre))?.rows ?? [])
        if (revisions.get(`${realm} ${JSON.stringify(object)}`) !== revision) changed.add(realm);
      return changed.size === faultRealms.length;
    },
    { withinMs: 60_000 },
  );
}
