import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../setup/debian.mjs";
import { pinnedNode, root, toolPath } from "../setup/paths.mjs";
import { answers, freePort, until } from "../setup/ports.mjs";
import { startAgentPair } from "./agent-pair.mjs";
import { callApi } from "./call-api.mjs";
import { realms, writeDocuments } from "./documents.mjs";

/** Folder of all files that the demo writes; ignored by git, its data are removed at each start. */
export const folder = join(root, ".demo");

const here = join(root, "compose/demo");
/** Preferred ports, so that the documents stay the same from start to start; a port that is in use is replaced by a free one. */
const preferredPorts = {
  edge: 18101,
  web: 18102,
  cache: 18103,
  database: 18104,
  switch: 18105,
  shelf: 18106,
  smtp: 18107,
  desk: 18108,
};
/** Zone of realm fra whose checks a worker runs. */
const zone = "dmz";
const serverPorts = { nats: 14222, redis: 16379, worker: 18110, prometheus: 19090, standby: 18111 };

/**
 * Starts every program of the demo as a member of `programs` and waits until the aggregator sees both realms.
 * @returns the text to print once all is running
 */
export async function startDemo(programs, { ports, pair: hasPair }) {
  const [targetPorts, { nats, redis, worker, prometheus, standby }] = [
    await freePorts(preferredPorts),
    await freePorts(serverPorts),
  ];
  const urls = { fra: `http://127.0.0.1:${ports["fra-port"]}`, ams: `http://127.0.0.1:${ports["ams-port"]}` };
  const centreUrl = `http://127.0.0.1:${ports.port}`;
  const { tokens, adminToken } = writeDocuments({
    folder,
    ports: { ...targetPorts, prometheus },
    // Over NATS the aggregator reaches whichever member is active.
    urls: hasPair ? { ...urls, fra: undefined } : urls,
  });

  const logins = natsLogins(nats);
  startServers(programs, { nats, redis, passwords: logins.passwords });
  runScript(programs, "targets", "targets", [
    folder,
    ...Object.entries(targetPorts).map(([name, port]) => `${name}=${port}`),
  ]);
  runScript(programs, "desk", "webhook-receiver", [folder, String(targetPorts.desk)]);
  await until("nats-server and redis-server answer", async () => (await answers(nats)) && (await answers(redis)));

  // The aggregator starts first: it then receives the first heartbeat of each realm, and the start need not wait for the second.
  startAggregator(programs, { natsUrl: logins.url("centre"), redis, port: ports.port, tokens });
  await until("the aggregator is ready", () => isReady(centreUrl), 180_000);
  for (const realm of realms) {
    const agent = { realm, natsUrl: logins.url("realm", realm), port: ports[`${realm}-port`] };
    const startOne = (member) => startAgent(programs, { ...agent, ...member });
    if (hasPair && realm === "fra")
      startAgentPair(programs, { ...agent, standby, token: adminToken, folder, startAgent: startOne });
    else startOne({});
  }
  startWorker(programs, { realm: "fra", zone, natsUrl: logins.url("worker", zone), port: worker });
  await Promise.all(
    realms.map((realm) => until(`the agent of ${realm} is ready`, () => isReady(urls[realm]), 180_000)),
  );
  await until("the aggregator reaches both realms", () => reachesAll(centreUrl), 180_000);

  startPrometheus(programs, { port: prometheus, urls });
  const ways = { fra: hasPair ? `${urls.fra},http://127.0.0.1:${standby}` : urls.fra, ams: urls.ams };
  const jobArgs = realms.map((realm) => `${realm}=${ways[realm]}`);
  runScript(programs, "jobs", "passive-results", jobArgs, {
    FRA_JOB_TOKEN: tokens.fra.job,
    AMS_JOB_TOKEN: tokens.ams.job,
  });
  runScript(programs, "robot", "auto-acknowledge", [centreUrl]);
  return welcomeText({ centreUrl, urls, adminToken, hasPair });
}

async function freePorts(preferred) {
  const found = {};
  for (const [name, port] of Object.entries(preferred)) found[name] = await freePort(port);
  return found;
}

const program = (name) => join(root, "node_modules/.bin", name);
const environment = (more = {}) => ({ ...process.env, PATH: toolPath, ...more });
const logOf = (name) => join(folder, `${name}.log`);

/**
 * Writes the configuration of nats-server that `nats-config` prints, and invents the passwords of its users.
 * @returns the passwords by environment variable, and a function for the URL with the login of a user
 */
function natsLogins(port) {
  const words = ["nats-config", "-realms-config", join(folder, "realms.cue"), "-zones", zone];
  const printed = execFileSync(program("realmwatch-aggregator"), words, { encoding: "utf8", env: environment() });
  writeFileSync(join(folder, "nats.conf"), printed);
  const variables = [...new Set(printed.match(/(?<=\$)NATS_PASSWORD_\w+/g))];
  // nats-server reads a value as its configuration: a password that begins with a digit could be a number.
  const passwords = Object.fromEntries(variables.map((name) => [name, `p${randomBytes(16).toString("hex")}`]));
  const url = (...user) =>
    `nats://${user.join("-")}:${passwords[`NATS_PASSWORD_${user.join("_").toUpperCase()}`]}@127.0.0.1:${port}`;
  return { passwords, url };
}

function startServers(programs, { nats, redis, passwords }) {
  const js = join(folder, "data/nats");
  mkdirSync(js, { recursive: true });
  const words = ["-c", join(folder, "nats.conf"), "-a", "127.0.0.1", "-p", String(nats), "-js", "-sd", js];
  programs.start("nats", findProgram("nats-server"), words, {
    log: logOf("nats"),
    server: true,
    env: environment(passwords),
    formatLine: (line) => (/\[(ERR|FTL)\]/.test(line) ? line : ""),
  });
  const quiet = ["--save", "", "--appendonly", "no", "--dir", join(folder, "data")];
  programs.start("redis", findProgram("redis-server"), ["--bind", "127.0.0.1", "--port", String(redis), ...quiet], {
    log: logOf("redis"),
    server: true,
    formatLine: () => "",
  });
}

/** Starts a Prometheus that scrapes the agents, for the demo's panel; without the program the panel has no data. */
function startPrometheus(programs, { port, urls }) {
  const path = findProgram("prometheus");
  if (path === undefined) return;
  const targets = realms.map(
    (realm) => `      - {targets: ["${new URL(urls[realm]).host}"], labels: {realm: "${realm}"}}`,
  );
  const file = join(folder, "prometheus.yml");
  writeFileSync(
    file,
    `global: {scrape_interval: 5s}\nscrape_configs:\n  - job_name: realmwatch\n    static_configs:\n${targets.join("\n")}\n`,
  );
  const words = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, "data/prometheus")}`];
  programs.start("prometheus", path, [...words, `--web.listen-address=127.0.0.1:${port}`], {
    log: logOf("prometheus"),
    server: true,
    env: environment(),
    formatLine: (line) => (/level=error/.test(line) ? line : ""),
  });
}

/** Starts an agent. `name`: differs from the realm for a member of a pair; `more`: further flags. */
function startAgent(programs, { realm, natsUrl, port, name = realm, more = {} }) {
  const flags = {
    config: join(folder, `${realm}.cue`),
    realm,
    listen: `127.0.0.1:${port}`,
    "data-dir": join(folder, "data", name),
    "auth-config": join(folder, `${realm}-auth.cue`),
    ...more,
  };
  const variables = { REALMWATCH_NATS_URL: natsUrl };
  return startProgram(programs, name, { command: "realmwatch-agent", words: wordsOf(flags), variables });
}

/** Starts a worker that runs the checks of a zone; a real one runs on a machine inside that zone's network. */
function startWorker(programs, { realm, zone, natsUrl, port }) {
  const flags = { realm, zones: zone, listen: `127.0.0.1:${port}` };
  const variables = { REALMWATCH_NATS_URL: natsUrl };
  startProgram(programs, zone, { command: "realmwatch-agent", words: ["-worker", ...wordsOf(flags)], variables });
}

function startAggregator(programs, { natsUrl, redis, port, tokens }) {
  const flags = {
    "realms-config": join(folder, "realms.cue"),
    listen: `127.0.0.1:${port}`,
    "redis-url": `redis://127.0.0.1:${redis}`,
    "data-dir": join(folder, "data/aggregator"),
  };
  const variables = { FRA_TOKEN: tokens.fra.centre, AMS_TOKEN: tokens.ams.centre, REALMWATCH_NATS_URL: natsUrl };
  startProgram(programs, "aggregator", { command: "realmwatch-aggregator", words: wordsOf(flags), variables });
}

/** Starts a program of the product, of whose log the warnings and errors are printed. */
function startProgram(programs, name, { command, words, variables }) {
  const options = { log: logOf(name), env: environment(variables), formatLine: warningOf };
  return programs.start(name, program(command), words, options);
}

const wordsOf = (flags) => Object.entries(flags).flatMap(([name, value]) => [`-${name}`, value]);

const runScript = (programs, name, script, args, env = {}) =>
  programs.start(name, pinnedNode, [join(here, `${script}.mjs`), ...args], { log: logOf(name), env });

/** Message of a log line of level warning or above; empty for lines below. */
function warningOf(line) {
  try {
    const { level, msg, err } = JSON.parse(line);
    return level >= 40 || ["warn", "error", "fatal"].includes(level)
      ? [msg, err?.message].filter(Boolean).join(": ")
      : "";
  } catch {
    return line;
  }
}

const isReady = async (url) => (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) })).ok;

async function reachesAll(url) {
  const { realms: known = [] } = await callApi(url, "QueryService/ListStatus", { pageSize: 1 });
  return realms.every((name) => known.some((realm) => realm.name === name && realm.reachable));
}

const pairText = `
  After a minute   the active agent of fra is killed: the other one takes over, and realm fra goes on.`;

const welcomeText = ({ centreUrl, urls, adminToken, hasPair }) => `
  The dashboard of all realms   ${centreUrl}/
  Realm fra, the shop           ${urls.fra}/
  Realm ams, the warehouse      ${urls.ams}/
  Token for either realm        ${adminToken}

  Within a minute  web-2 in fra fails, turns hard, is acknowledged by a robot through the aggregator and recovers;
                   the switch in ams fails and everything behind it is unreachable; a cache flaps.
  Within two       the database in fra fails, and notifications of the web servers that depend on it are suppressed;
                   a mail queue fills up until an event handler flushes it.
  All the time     proxy-1 in fra is checked by a worker in zone dmz; contact desk prints its notifications here.${hasPair ? pairText : ""}

  Service levels       node_modules/.bin/realmwatch slo -server ${centreUrl}
  Why no notification? node_modules/.bin/realmwatch explain 'web-1!http' -server ${centreUrl}
  Configuration        compose/demo/fra.cue, compose/demo/ams.cue   (whole documents: .demo/fra.cue, .demo/ams.cue)
  Notifications        .demo/notifications.log, .demo/pages.log
  Full logs            .demo/*.log

  Notifications of contact desk, warnings and errors follow. Ctrl-C ends everything.
`;
