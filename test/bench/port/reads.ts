import type { TestProgram } from "../../run/processes.ts";
import { startBenchAgent, withTestScope } from "../bench-agent.ts";
import { postRepeatedly } from "../bench-client.ts";
import type { BenchRow } from "../bench-row.ts";
import { type IcingaApi, startIcingaApi } from "../peers/icinga2-api.ts";
import { sized } from "../runner/bench-size.ts";

const hosts = sized(100_000, 20_000);
const racks = 40;
const path = "/svc.v1.QueryService/ListStatus";

/** Document with `count` passive hosts, each with the labels of one of `racks` racks and of one of two teams. */
function document(count = hosts): string {
  const check = `check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}`;
  return Array.from(
    { length: count },
    (_, n) =>
      `hosts: web${n}: {address: "127.0.0.1", labels: {rack: "r${n % racks}", team: "${n % 2 === 0 ? "web" : "db"}"}, ${check}}\n`,
  ).join("");
}

type Reads = {
  readonly clients: number;
  readonly count: number;
  readonly bodyOf: (n: number) => string;
  /** Default: ListStatus. */
  readonly rpc?: string;
};

/** Rate and median of reads in JSON. */
async function timeReads({ base }: TestProgram, { clients, count, bodyOf, rpc }: Reads) {
  const startedMs = performance.now();
  const at = rpc === undefined ? path : `/svc.v1.QueryService/${rpc}`;
  const tookMs = await postRepeatedly({ base, path: at, contentType: "application/json", clients, count, bodyOf });
  const perSecond = (count / (performance.now() - startedMs)) * 1_000;
  const medianMs = tookMs.sort((one, other) => one - other)[count >> 1] ?? 0;
  return { perSecond, medianMs };
}

const oneObject = (n: number): string => JSON.stringify({ object: { host: { name: `web${(n * 7_919) % hosts}` } } });
const page = (selector: string) => (): string => JSON.stringify({ pageSize: 500, selector, sort: "name" });

/** Selectors of half of the hosts: one that is asked for again, and others that are not. */
const selectors: Readonly<Record<string, (n: number) => string>> = {
  "": () => "",
  " by selector": () => "team=web",
  " by a new selector": (n) => `team=web,rack!=other${n}`,
};

/** Pages of 200 with and without a selector. They take turns, so that all have the same load of the machine. */
async function comparePages(agent: TestProgram, rpc: string): Promise<BenchRow[]> {
  const tookMs = new Map(Object.keys(selectors).map((name) => [name, [] as number[]]));
  for (let turn = 0; turn < 40; turn++)
    for (const [name, selectorOf] of Object.entries(selectors)) {
      const bodyOf = (): string => JSON.stringify({ pageSize: 200, selector: selectorOf(turn) });
      tookMs.get(name)?.push((await timeReads(agent, { clients: 1, count: 1, bodyOf, rpc })).medianMs);
    }
  const page = `${rpc}, page of 200`;
  return [...tookMs].map(([name, times]) => ({
    name: page + name,
    rate: times.sort((one, other) => one - other)[times.length >> 1] ?? 0,
    unit: "ms median",
    ...(name === "" ? {} : { against: page }),
  }));
}

/** Writes passive results in batches until `isOver`, with 4 clients. @returns the number of results per second */
async function floodResults({ base }: TestProgram, isOver: () => boolean): Promise<number> {
  const perBatch = 200;
  const startedMs = performance.now();
  let sent = 0;
  const client = async (): Promise<void> => {
    while (!isOver()) {
      const results = Array.from({ length: perBatch }, (_, n) => ({
        object: { host: { name: `web${(sent + n * 31) % hosts}` } },
        status: "STATUS_OK",
        output: `fine ${sent}`,
      }));
      sent += perBatch;
      const response = await fetch(`${base}/svc.v1.CommandService/ProcessCheckResults`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ results }),
      });
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 4 }, client));
  return (sent / (performance.now() - startedMs)) * 1_000;
}

/** Reads of 100 000 hosts: one object, pages with and without a selector, and one object during a flood of results. */
export const benchReads = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const agent = await startBenchAgent(scope, { config: document() });
    const warm = { clients: 4, count: 500, bodyOf: oneObject };
    await timeReads(agent, warm);
    const [one, eight] = [
      await timeReads(agent, { clients: 1, count: 3_000, bodyOf: oneObject }),
      await timeReads(agent, { clients: 8, count: 10_000, bodyOf: oneObject }),
    ];
    const pages = { clients: 1, count: 60 };
    await timeReads(agent, { ...pages, count: 10, bodyOf: page("rack=r7") });
    const all = await timeReads(agent, { ...pages, bodyOf: page("") });
    const selected = await timeReads(agent, { ...pages, bodyOf: page("rack=r7") });
    const negated = await timeReads(agent, { ...pages, bodyOf: page("rack!=r7,@kind=host") });
    const compared = [...(await comparePages(agent, "ListStatus")), ...(await comparePages(agent, "ListObjects"))];
    let isOver = false;
    const flood = floodResults(agent, () => isOver);
    const busy = await timeReads(agent, { clients: 1, count: 3_000, bodyOf: oneObject });
    isOver = true;
    const written = await flood;
    const idleRow = "one object, 1 client, idle";
    const pageRow = "page of 500";
    return [
      { name: "one object, 8 clients", rate: eight.perSecond, unit: "calls/s" },
      { name: idleRow, rate: one.medianMs, unit: "ms median" },
      {
        name: "one object, 1 client, during writes",
        rate: busy.medianMs,
        unit: "ms median",
        against: idleRow,
        note: `${Math.round(written)} results/s`,
      },
      { name: pageRow, rate: all.medianMs, unit: "ms median" },
      { name: "page of 500 by selector", rate: selected.medianMs, unit: "ms median", against: pageRow },
      { name: "page of 500 by negation", rate: negated.medianMs, unit: "ms median", against: pageRow },
      ...compared,
    ];
  });

/** Hosts of the comparison with Icinga 2, and clients that read them. */
const beside = { hosts: 10_000, clients: 8 } as const;

/** Reads of one host by 8 clients from an agent and from Icinga 2, in turn; Icinga 2 serves by https only. */
export const benchReadsBesideIcinga = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const icinga = await startIcingaApi(scope, beside);
    if (icinga === undefined) return [];
    const agent = await startBenchAgent(scope, { config: document(beside.hosts) });
    const bodyOf = (n: number): string =>
      JSON.stringify({ object: { host: { name: `web${(n * 7_919) % beside.hosts}` } } });
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < 4; round++) {
      const { perSecond } = await timeReads(agent, { clients: beside.clients, count: 8_000, bodyOf });
      const rate = await timeIcinga(icinga, 800);
      // The first round fills caches and compiles code.
      if (round > 0) {
        ours.push(perSecond);
        theirs.push(rate);
      }
    }
    const middle = (rates: readonly number[]): number => rates.toSorted((a, b) => a - b)[rates.length >> 1] ?? 0;
    const peer = "one host of 10 000 by REST, Icinga 2";
    return [
      { name: peer, rate: middle(theirs), unit: "calls/s" },
      { name: "one host of 10 000 by ListStatus", rate: middle(ours), unit: "calls/s", against: peer },
    ];
  });

/** Rate of `count` reads by 8 clients, calls/s. */
async function timeIcinga(icinga: IcingaApi, count: number): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) await icinga.readHost((next++ * 7_919) % beside.hosts);
  };
  await Promise.all(Array.from({ length: beside.clients }, client));
  return (count / (performance.now() - startedMs)) * 1_000;
}
