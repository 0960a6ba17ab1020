import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect } from "nats";
import { call } from "../../run/call.ts";
import { startRedis, startTestAgent, startTestAggregator, type TestProgram, tempFolder } from "../../run/processes.ts";
import { sendCommand } from "../../run/rows.ts";
import { readinessOf } from "../redis/redis-faults.ts";

const contacts = 3_000;
const realms = `realms: fra: unreachable_after: "8s"\n`;
const patient = { withinMs: 60_000, everyMs: 100 };
const passive = `check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}`;
/** Three hosts, one of them with labels of 14 KB, and many contacts. */
const document = `
${["plain", "large", "labelled"].map((name) => `hosts: ${name}: {address: "127.0.0.1", ${passive}}`).join("\n")}
${[0, 1, 2, 3].map((at) => `hosts: labelled: labels: l${at}: "${"x".repeat(3_500)}"`).join("\n")}
${Array.from({ length: contacts }, (_, at) => `contacts: "contact-with-a-name-of-usual-length-${at}": {type: "webhook", url: "http://127.0.0.1:9"}`).join("\n")}
`;

type RealmJson = { readonly freshness: string; readonly detail?: string; readonly rowsExpected?: number };
type RowJson = {
  readonly object: { readonly host: { readonly name: string } };
  readonly output?: string;
  readonly truncated?: boolean;
};

async function answerOf({ base }: TestProgram) {
  const { body } = await call(base, "QueryService/ListStatus");
  const listed = await call(base, "QueryService/ListContacts");
  const rows = (body["rows"] ?? []) as readonly RowJson[];
  const [realm] = (body["realms"] ?? []) as readonly RealmJson[];
  return {
    realm,
    row: (host: string) => rows.find(({ object }) => object.host.name === host),
    contacts: ((listed.body["contacts"] ?? []) as readonly unknown[]).length,
  };
}
type Answer = Awaited<ReturnType<typeof answerOf>>;

const untilAll = (
  programs: readonly TestProgram[],
  what: string,
  holds: (answer: Answer) => boolean,
): Promise<unknown> =>
  until(what, async () => (await Promise.all(programs.map(answerOf))).every(holds), {
    ...patient,
    seen: async () => (await Promise.all(programs.map(answerOf))).map(({ realm, contacts: held }) => [realm, held]),
  });
const isCurrent = ({ realm, contacts: held }: Answer): boolean =>
  realm?.freshness === "REALM_FRESHNESS_CURRENT" && held === contacts;

test("[FD70, FD71, FD72, WI6] with small messages the centre has what can be cut, and names what cannot", async (t) => {
  const config = join(tempFolder(t, "limits"), "nats.conf");
  const limit = (size: string): void => writeFileSync(config, `max_payload: ${size}\n`);
  limit("64KB");
  await using nats = await startNatsServer(["-c", config]);
  const redis = await startRedis(t);
  const startAggregator = (flags: Readonly<Record<string, string>>) =>
    startTestAggregator(t, { realms, flags: { "nats-url": nats.url, ...flags } });
  const [inMemory, inRedis, agent] = await Promise.all([
    startAggregator({}),
    startAggregator({ "redis-url": redis.url }),
    startTestAgent(t, { config: document, realm: "fra", flags: { "nats-url": nats.url } }),
  ]);
  const centres = [inMemory, inRedis];
  const setOutput = (host: string, output: string): Promise<unknown> =>
    sendCommand(agent.base, "ProcessCheckResult", {
      object: { host: { name: host } },
      status: "STATUS_CRITICAL",
      output,
    });
  await untilAll(centres, "all contacts are shown", isCurrent);

  await setOutput("large", "o".repeat(100_000));
  const isCut = ({ row }: Answer): boolean =>
    row("large")?.truncated === true && (row("large")?.output ?? "").length > 60_000;
  await untilAll(centres, "the output is cut", (answer) => isCurrent(answer) && isCut(answer));

  // An aggregator that starts without the catalog asks the agent for it.
  const connection = await connect({ servers: nats.url });
  await (await connection.jetstreamManager()).streams.purge(stateStream.name, { filter: "svc.v1.catalog.fra.>" });
  await connection.close();
  const fresh = await startAggregator({});
  await untilAll([fresh], "the missing catalog is named", ({ realm }) =>
    /catalog are missing$/.test(realm?.detail ?? ""),
  );
  await untilAll([fresh, ...centres], "the catalog is back", isCurrent);

  await nats.stop();
  limit("12KB");
  await nats.restart();
  await setOutput("labelled", "new");
  const named = /^1 row is not published: labelled: the message has 14\d\d\d bytes, and NATS takes at most 12288/;
  const isNamed = ({ realm }: Answer): boolean =>
    realm?.freshness === "REALM_FRESHNESS_BEHIND" && realm.rowsExpected === 3 && named.test(realm.detail ?? "");
  await untilAll(centres, "the row is named", isNamed);
  await agent.stop("SIGKILL");
  await agent.restart();
  const isNamedByAgent = async (): Promise<boolean> => {
    const { ok, detail } = await readinessOf(agent, "nats");
    return !ok && named.test(detail);
  };
  await until("the agent names it too", isNamedByAgent, patient);
  await untilAll(centres, "the row is named after a restart of the agent", isNamed);
});
