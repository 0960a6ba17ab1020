import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { checkConfiguration } from "./check-config.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "check-config-"));
});
after(() => rm(folder, { recursive: true }));

/** Lines that the check of a document prints, without the folder, and the exit code. */
async function check(text: string, lint: boolean, pairLease?: number): Promise<readonly (string | number)[]> {
  const config = join(folder, "realm.cue");
  await writeFile(config, text);
  const flags = {
    config,
    realm: "fra",
    configProfile: "",
    configTimeout: 40_000,
    configMemory: 3 * 2 ** 30,
    lint,
    ...(pairLease === undefined ? {} : { pair: "fra-a", pairLease }),
  } as const;
  const { lines, code, requested } = await checkConfiguration(flags, systemClock);
  assert.equal(requested, true);
  return [...lines.map((line) => line.replace(`${folder}/`, "")), code];
}

const host = (more: string): string => `hosts: h: {\n\taddress: "x"\n\t${more}\n\tnotification: "n"\n}\n`;
const rest = 'contacts: ann: {type: "email", address: "x"}\nnotifications: n: levels: [{contacts: ["ann"]}]\n';
const holds = "the configuration holds: 1 host, 0 services, 0 processes";
const plugin = (path: string): string =>
  host(`check: {type: "legacy", path: ${JSON.stringify(path)}, flap: {}}`) + rest;

test("objects of a valid document are counted; warnings are printed only with -lint", async () => {
  assert.deepEqual(await check(plugin("/gone/x"), false), [holds, 0]);
  const warning = 'realm.cue:3:32: warning: host "h": check.path names "/gone/x", which does not exist on this machine';
  assert.deepEqual(await check(plugin("/gone/x"), true), [warning, holds, 0]);
});

test("a file that is there and a program of the search path do not cause warnings", async () => {
  assert.deepEqual(await check(plugin(process.execPath), true), [holds, 0]);
  assert.deepEqual(await check(plugin("sh"), true), [holds, 0]);
});

test("problems end with 1, and nothing is warned of beside them", async () => {
  assert.deepEqual(await check(`${plugin("/gone/x")}views: v: selector: ""\n`, true), [
    'realm.cue:8:21: view "v": selector must not be empty',
    1,
  ]);
});

test("[PA41] with -pair the contacts, handlers and sinks are named whose timeouts its lease cuts", async () => {
  const handler = 'handlers: restart: {type: "legacy", path: "/bin/true", args: [], timeout: "40s"}\n';
  const sinks = 'sinks: s: {type: "http", input: "metrics", url: "http://127.0.0.1:9"}\n';
  const script = 'commands: page: line: "/bin/true"\ncontacts: bob: {type: "command", command: "page"}\n';
  const document = plugin("/bin/true") + handler + sinks + script;
  const cut = (what: string, timeout: string, to: string): string =>
    `warning: ${what}: its timeout of ${timeout} is cut to ${to}, the longest action of a pair with this -pair-lease`;
  assert.deepEqual(await check(document, false), [holds, 0]);
  assert.deepEqual(await check(document, false, 45_000), [cut('handler "restart"', "40s", "34s"), holds, 0]);
  assert.deepEqual(await check(document, false, 4_500), [
    ...[cut('contact "ann"', "30s", "2.5s"), cut('contact "bob"', "30s", "2.5s")],
    ...[cut('handler "restart"', "40s", "2.5s"), cut('sink "s"', "30s", "2.5s")],
    ...[holds, 0],
  ]);
  assert.deepEqual(await check(document, false, 60_000), [holds, 0]);
});

/** Document of which some hosts are evaluated by template, so that a load has all stages. */
const templates = `#H: {
	address: string
	check: {type: "icmp", host: address, flap: {}}
}
hosts: {
${Array.from({ length: 25 }, (_, i) => `\th${i}: #H & {address: "192.0.2.${i}"}`).join("\n")}
}
`;

/** Replaces durations and percentages, and the spaces that align them. */
const normalised = (line: string): string =>
  line.replace(/^(time: .*?) +\d+\.\d{3} s +\d+ %$/, "$1 SECONDS PERCENT").replace(`${folder}/`, "");

/** Lines of `-check-config -v`, without times. */
async function timedLines(text: string, lint: boolean): Promise<readonly string[]> {
  const config = join(folder, "timed.cue");
  await writeFile(config, text);
  const flags = { config, configProfile: "", configTimeout: 40_000, configMemory: 2 ** 30, realm: "r" } as const;
  return (await checkConfiguration({ ...flags, lint, v: true }, systemClock)).lines.map(normalised);
}

const timesOf = (...stages: readonly string[]): string[] => stages.map((stage) => `time: ${stage} SECONDS PERCENT`);

test("[RL26] -v says how long each stage of a load took", async () => {
  assert.deepEqual(await timedLines(templates, true), [
    "timed.cue:1:1: warning: the document declares no notification policy: no notification is ever sent",
    ...timesOf("start", "parse", "evaluate", "compile", "lint", "locate", "in all"),
    "the configuration holds: 25 hosts, 0 services, 0 processes",
  ]);
  assert.deepEqual(await timedLines("hosts: {}\n", false), [
    ...timesOf("start", "parse", "compile", "in all"),
    "the configuration holds: 0 hosts, 0 services, 0 processes",
  ]);
  assert.deepEqual(await timedLines("hosts: {}\nno_field: 1\n", false), [
    "timed.cue:2:11: no_field is not a known field",
    ...timesOf("start", "parse", "compile", "locate", "in all"),
  ]);
});

test("[RL25] -v names the expression for which the document is evaluated as a whole", async () => {
  assert.deepEqual(await timedLines("hosts: {}\n_count: len(hosts)\n", false), [
    "timed.cue:2:13: note: this refers to hosts, so the document is evaluated as a whole",
    ...timesOf("start", "parse", "evaluate", "compile", "in all"),
    "the configuration holds: 0 hosts, 0 services, 0 processes",
  ]);
});

test("[RL25] -v says that a document of several files is evaluated as a whole", async () => {
  const config = join(folder, "several");
  await mkdir(config);
  await writeFile(join(config, "a.cue"), "_n: 1\n");
  await writeFile(join(config, "b.cue"), "_m: _n\nhosts: {}\n");
  const flags = { config, configProfile: "", configTimeout: 40_000, configMemory: 2 ** 30, realm: "r" } as const;
  const { lines } = await checkConfiguration({ ...flags, lint: false, v: true }, systemClock);
  assert.deepEqual(lines.slice(0, 1).map(normalised), [
    "several/a.cue:1:1: note: this is one of 2 files, so the document is evaluated as a whole",
  ]);
});
