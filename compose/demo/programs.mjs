import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../setup/debian.mjs";
import { innerPath, pinnedNode, root } from "../setup/places.mjs";
import { answers, freePort, until } from "../setup/ports.mjs";
import { realms, writeDocuments } from "./documents.mjs";

/** Everything that the demo writes; ignored by git, emptied of data at each start. */
export const folder = join(root, ".demo");

const here = join(root, "compose/demo");
/** Wished for, so that a document looks the same from start to start; another port is taken where one is not free. */
const wishedPorts = {
  edge: 18101,
  web: 18102,
  cache: 18103,
  database: 18104,
  switch: 18105,
  shelf: 18106,
  smtp: 18107,
  desk: 18108,
};
const serverPorts = { nats: 14222, redis: 16379, worker: 18110 };

/**
 * Starts every program of the demo as a member of `programs` and waits until the aggregator sees both realms.
 * @returns what a newcomer should read
 */
export async function startDemo(programs, ports) {
  const [targetPorts, { nats, redis, worker }] = [await freePorts(wishedPorts), await freePorts(serverPorts)];
  const urls = { fra: `http://127.0.0.1:${ports["fra-port"]}`, ams: `http://127.0.0.1:${ports["ams-port"]}` };
  const centreUrl = `http://127.0.0.1:${ports.port}`;
  const { tokens, adminToken } = writeDocuments({ folder, ports: targetPorts, urls });

  startServers(programs, nats, redis);
  runScript(programs, "targets", [folder, ...Object.entries(targetPorts).map(([name, port]) => `${name}=${port}`)]);
  runScript(programs, "desk", [folder, String(targetPorts.desk)]);
  await until("nats-server and redis-server answer", async () => (await answers(nats)) && (await answers(redis)));

  // The aggregator first: it then hears the first heartbeat of each realm, and nobody waits for the second.
  startAggregator(programs, { nats, redis, port: ports.port, tokens });
  await until("the aggregator is ready", () => isReady(centreUrl), 60_000);
  for (const realm of realms) startAgent(programs, { realm, nats, port: ports[`${realm}-port`] });
  startWorker(programs, { realm: "fra", zone: "dmz", nats, port: worker });
  await Promise.all(realms.map((realm) => until(`the agent of ${realm} is ready`, () => isReady(urls[realm]), 60_000)));
  await until("the aggregator hears both realms", () => hearsAll(centreUrl), 60_000);

  const feederArgs = realms.map((realm) => `${realm}=${urls[realm]}`);
  runScript(programs, "feeder", feederArgs, { FRA_JOB_TOKEN: tokens.fra.job, AMS_JOB_TOKEN: tokens.ams.job });
  runScript(programs, "operator", [centreUrl]);
  return greeting({ centreUrl, urls, adminToken });
}

async function freePorts(wished) {
  const found = {};
  for (const [name, port] of Object.entries(wished)) found[name] = await freePort(port);
  return found;
}

const program = (name) => join(root, "node_modules/.bin", name);
const environment = (more = {}) => ({ ...process.env, PATH: innerPath, ...more });
const logOf = (name) => join(folder, `${name}.log`);

function startServers(programs, nats, redis) {
  const js = join(folder, "data/nats");
  mkdirSync(js, { recursive: true });
  programs.start("nats", findProgram("nats-server"), ["-a", "127.0.0.1", "-p", String(nats), "-js", "-sd", js], {
    log: logOf("nats"),
    server: true,
    tell: (line) => (/\[(ERR|FTL)\]/.test(line) ? line : ""),
  });
  const quiet = ["--save", "", "--appendonly", "no", "--dir", join(folder, "data")];
  programs.start("redis", findProgram("redis-server"), ["--bind", "127.0.0.1", "--port", String(redis), ...quiet], {
    log: logOf("redis"),
    server: true,
    tell: () => "",
  });
}

function startAgent(programs, { realm, nats, port }) {
  const flags = {
    config: join(folder, `${realm}.cue`),
    realm,
    listen: `127.0.0.1:${port}`,
    "nats-url": `nats://127.0.0.1:${nats}`,
    "data-dir": join(folder, "data", realm),
    "auth-config": join(folder, `${realm}-auth.cue`),
  };
  programs.start(realm, program("realmwatch-agent"), wordsOf(flags), {
    log: logOf(realm),
    env: environment(),
    tell: warning,
  });
}

/** Runs the checks of a zone for the agent of its realm; in earnest on a machine inside that zone's network. */
function startWorker(programs, { realm, zone, nats, port }) {
  const flags = { realm, zones: zone, "nats-url": `nats://127.0.0.1:${nats}`, listen: `127.0.0.1:${port}` };
  programs.start(zone, program("realmwatch-agent"), ["-worker", ...wordsOf(flags)], {
    log: logOf(zone),
    env: environment(),
    tell: warning,
  });
}

function startAggregator(programs, { nats, redis, port, tokens }) {
  const flags = {
    "realms-config": join(folder, "realms.cue"),
    listen: `127.0.0.1:${port}`,
    "nats-url": `nats://127.0.0.1:${nats}`,
    "redis-url": `redis://127.0.0.1:${redis}`,
    "data-dir": join(folder, "data/aggregator"),
  };
  const env = environment({ FRA_TOKEN: tokens.fra.centre, AMS_TOKEN: tokens.ams.centre });
  programs.start("aggregator", program("realmwatch-aggregator"), wordsOf(flags), {
    log: logOf("aggregator"),
    env,
    tell: warning,
  });
}

const wordsOf = (flags) => Object.entries(flags).flatMap(([name, value]) => [`-${name}`, value]);

const runScript = (programs, name, args, env = {}) =>
  programs.start(name, pinnedNode, [join(here, `${name}.mjs`), ...args], { log: logOf(name), env });

/** Of a line of our programs' log: the message where it warns, else nothing. */
function warning(line) {
  try {
    const { level, msg, err } = JSON.parse(line);
    return level >= 40 || ["warn", "error", "fatal"].includes(level)
      ? [msg, err?.message].filter(Boolean).join(": ")
      : "";
  } catch {
    return line;
  }
}

const isReady = async (url) => (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;

async function hearsAll(url) {
  const response = await fetch(`${url}/svc.v1.QueryService/ListStatus`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pageSize: 1 }),
    signal: AbortSignal.timeout(5_000),
  });
  const { realms: heard = [] } = await response.json();
  return realms.every((name) => heard.some((realm) => realm.name === name && realm.reachable));
}

const greeting = ({ centreUrl, urls, adminToken }) => `
  The dashboard of all realms   ${centreUrl}/
  Realm fra, the shop           ${urls.fra}/
  Realm ams, the warehouse      ${urls.ams}/
  The realms ask who you are:   ${adminToken}

  Within a minute  web-2 in fra fails, turns hard, is acknowledged by a robot through the aggregator and recovers;
                   the switch in ams fails and everything behind it is unreachable; a cache flaps.
  Within two       the database in fra fails, and nobody hears of the web servers that need it; a mail queue runs
                   full until an event handler works it off.
  All the time     proxy-1 in fra is checked by a worker in zone dmz; the desk is told, and says here what it hears.

  Why is it quiet?     node_modules/.bin/realmwatch explain 'web-1!http' -server ${centreUrl}
  What is watched      compose/demo/fra.cue, compose/demo/ams.cue   (whole documents: .demo/fra.cue, .demo/ams.cue)
  What was delivered   .demo/notifications.log, .demo/pages.log
  Full logs            .demo/*.log

  What the desk hears follows, and warnings and errors. Ctrl-C ends everything.
`;
