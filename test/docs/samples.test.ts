import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import { openMailServer } from "@realmwatch/agent/contacts/mail/mail-server.fixture";
import { fencesOf } from "@realmwatch/shared/platform/testing/documented-lines.fixture";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { filesOf, read, root } from "../architecture/sources.ts";
import { runToEnd } from "../run/cli.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator, tempFolder } from "../run/processes.ts";
import { nagiosFiles, notRun, office, pageSetups } from "./sample-pages.ts";
import { readSteps } from "./tutorial-steps.ts";
import { skipWithoutHelm, withoutCluster } from "./without-cluster.ts";

/** Block of commands of a page. `shown` is the output that the page shows below its commands. */
type Block = { readonly line: number; readonly commands: readonly string[]; readonly shown: readonly string[] };

const selfSigned = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
/** Pages with commands; those of the command line's reference run in test/system/cli/cli.test.ts, with the outputs that it shows. */
const pages = ["docs/how-to/*.md", "docs/reference/*.md", "docs/explanation/*.md", "*.md", "charts/*/README.md"]
  .flatMap((pattern) => filesOf(pattern))
  .filter((page) => page !== "docs/reference/cli.md");
/** Name of a page in the lists of `sample-pages.ts`. */
const nameOf = (page: string): string => page.replace(/^docs\/[\w-]+\//, "");

const startedBy = (unit: string): string[] => [...unit.matchAll(/^ExecStart=(.+)$/gm)].map(([, line = ""]) => line);

/** Blocks of a page with commands: all of `sh`, of `console` what follows the prompt, and what units of systemd start. */
function blocksOf(page: string): readonly Block[] {
  return fencesOf(read(page).text).flatMap(({ language, text, line }): Block[] => {
    if (language === "sh") return [{ line, commands: [text], shown: [] }];
    if (language === "ini") return [{ line, commands: startedBy(text), shown: [] }];
    if (language !== "console") return [];
    const commands: string[] = [];
    const shown: string[] = [];
    for (const row of text.trimEnd().split("\n"))
      if (row.startsWith("$ ")) commands.push(row.slice(2));
      else if (commands.at(-1)?.endsWith("\\")) commands.push(`${commands.pop()}\n${row}`);
      else shown.push(row);
    return [{ line, commands, shown }];
  });
}

const reasonOf = (page: string, { commands }: Block) =>
  notRun.find(([name, part]) => name === nameOf(page) && commands.join("\n").includes(part));

/**
 * Programs that a sample starts run until they are ready; those that would change this machine do nothing.
 * For npm only the name of the script is checked, because the scripts build everything or run all tests.
 */
const prelude = `
live() {
  : >live.log
  env "$@" 2>>live.log & local pid=$!
  until grep -q '"msg":"agent is ready"' live.log; do kill -0 $pid || { cat live.log >&2; return 1; }; sleep 0.1; done
  kill $pid; wait $pid
}
realmwatch-agent() {
  case " $*" in *" -check-config "* | " hash-password" | " new-token" | " accept-restore "*) env realmwatch-agent "$@" ;;
  *) live realmwatch-agent "$@" ;; esac
}
realmwatch() { case $1 in shadow) env realmwatch "$@" -for 0s ;; *) env realmwatch "$@" ;; esac; }
systemctl() { :; }
install() { :; }
npm() { test "$1" != run || shift; grep -q "^    \\"$1\\": " "${join(root, "package.json")}"; }
${skipWithoutHelm === false ? withoutCluster : ""}`;

/** True for an output that has a line of the page: `…` stands for any text, and columns may have other widths. */
function hasLine(output: string, line: string): boolean {
  const words = line.trim().split(/\s+/);
  return new RegExp(
    `^\\s*${words.map((word) => word.split("…").map(RegExp.escape).join(".*")).join("\\s+")}\\s*$`,
    "m",
  ).test(output);
}

test("the reasons for which commands of the docs are not run are still needed", () => {
  const used = new Set(pages.flatMap((page) => blocksOf(page).map((block) => reasonOf(page, block))));
  assert.deepEqual(
    notRun.filter((entry) => !used.has(entry)),
    [],
  );
  for (const [page, part, , proof] of notRun)
    if (proof !== undefined) assert.ok(existsSync(join(root, proof)), `${page}: ${part}: ${proof}`);
});

test("each block of the how-to pages and of the pages outside docs is of a language that a test reads", () => {
  const known = ["sh", "console", "cue", "yaml", "ts", "python", "go", "json", "text", "ini"];
  const others = pages
    .filter((page) => !/^docs\/(reference|explanation)/.test(page))
    .flatMap((page) =>
      fencesOf(read(page).text)
        .filter(({ language }) => !known.includes(language))
        .map(({ line }) => `${page}:${line}`),
    );
  assert.deepEqual(others, []);
});

const searchPath = `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`;

/** Commands that end with 0 if the program accepts a configuration file of the pages. */
const acceptedBy: Readonly<Record<string, { readonly needs: string; readonly script: string }>> = {
  "nats.conf": { needs: "nats-server", script: "touch realmwatch.conf; nats-server -t -c nats.conf" },
  "cluster.conf": { needs: "nats-server", script: "nats-server -t -c cluster.conf" },
  "leaf.conf": { needs: "nats-server", script: "SITE_PASSWORD=p1 nats-server -t -c leaf.conf" },
  "redis.conf": {
    needs: "redis-server",
    script: `redis-server redis.conf --port 0 --unixsocket "$PWD/socket" >log & pid=$!
until grep -q "accept connections" log; do kill -0 $pid || { cat log; exit 1; }; sleep 0.1; done
kill $pid; wait $pid`,
  },
  "agent.env": {
    needs: "realmwatch-agent",
    script: `(umask 077; openssl rand -hex 32 | tee pair >session; echo "auth: {}" >auth.cue)
mkdir tls; cp tls.crt tls.key tls; cp tls.crt tls/ca.crt; echo "hosts: {}" >realm.cue
set -a; . ./agent.env; realmwatch-agent -check-config -config realm.cue`,
  },
  "prometheus.yml": { needs: "promtool", script: "promtool check config --syntax-only prometheus.yml" },
  "token.yml": { needs: "promtool", script: "promtool check config --syntax-only token.yml" },
};

for (const page of pages)
  for (const step of readSteps(read(page).text)) {
    if (step.kind !== "file" || step.name.endsWith(".cue")) continue;
    const { needs, script } = acceptedBy[step.name] ?? { needs: "", script: "exit 1" };
    const env = { PATH: searchPath };
    const skip = spawnSync("which", [needs], { env }).status !== 0 && needs !== "" && `${needs} is not installed`;
    test(`${page}: ${step.name} is accepted by ${needs}`, { skip }, async (t) => {
      const cwd = tempFolder(t, "how-to");
      execFileSync("openssl", [...selfSigned, "-keyout", "tls.key", "-out", "tls.crt"], { cwd, stdio: "ignore" });
      writeFileSync(join(cwd, step.name), step.text.replaceAll(/\/etc\/(?:nats|realmwatch)/g, cwd));
      const { code, stdout, stderr } = await runToEnd(["bash", "-euc", script], { env, cwd });
      assert.equal(code, 0, stdout + stderr);
    });
  }

describe("the commands of the docs run in a clean folder", () => {
  const scope = fileScope();
  const folder = tempFolder(scope, "how-to");
  let env: Readonly<Record<string, string>> = {};
  let servers: Readonly<Record<string, Readonly<Record<string, string>>>> = {};
  let places: readonly (readonly [written: string, real: string])[] = [];

  before(async () => {
    const [nats, redis, mail] = await Promise.all([
      startNats(scope),
      startRedis(scope),
      openMailServer({ onAuth: ({ username }, _, done) => done(null, { user: username }) }),
    ]);
    atEnd(scope, () => mail[Symbol.asyncDispose]());
    const document = join(folder, "etc/realm.cue");
    for (const name of ["etc/tls", "backup", "nagios/etc", "nagios/var"])
      mkdirSync(join(folder, name), { recursive: true });
    const lockedDocument = join(folder, "etc/locked.cue");
    for (const path of [document, lockedDocument]) writeFileSync(path, office);
    for (const [name, text] of Object.entries(nagiosFiles(join(folder, "nagios"), userInfo().username)))
      writeFileSync(join(folder, "nagios", name), text);
    const [key, certificate] = [join(folder, "etc/tls/tls.key"), join(folder, "etc/tls/tls.crt")];
    execFileSync("openssl", [...selfSigned, "-keyout", key, "-out", certificate], { stdio: "ignore" });
    mkdirSync(join(folder, "tls.md"));
    copyFileSync(certificate, join(folder, "tls.md/clients.pem"));
    const commands = join(folder, "command");
    const token = "rw_0123456789abcdefghij";
    const auth = join(folder, "etc/auth.cue");
    writeFileSync(auth, `auth: ann: {role: "admin", token_hash: "sha256:${hash("sha256", token)}"}\n`);
    const [agent, locked, aggregator] = await Promise.all([
      startTestAgent(scope, {
        config: document,
        realm: "ams",
        flags: { "nats-url": nats.url, "command-file": commands },
      }),
      startTestAgent(scope, { config: lockedDocument, flags: { "auth-config": auth } }),
      startTestAggregator(scope, { realms: "realms: ams: {}\n", flags: { "nats-url": nats.url } }),
    ]);
    servers = {
      aggregator: { REALMWATCH_SERVER: aggregator.base },
      "with logins": { REALMWATCH_SERVER: locked.base, REALMWATCH_TOKEN: token },
    };
    const [port, metricsPort] = [await freePort(), await freePort()];
    env = {
      PATH: searchPath,
      HOME: folder,
      REALMWATCH_SERVER: agent.base,
      REALMWATCH_LISTEN: `127.0.0.1:${await freePort()}`,
      REALMWATCH_CONFIG: document,
      // Refuses every routing key.
      REALMWATCH_PAGER_URL: `${agent.base}/pager`,
      REALMWATCH_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      REALMWATCH_SMTP_FROM: "rw@example.org",
    };
    places = [
      ["/var/lib/realmwatch", agent.dataDir],
      ["/run/realmwatch/command", commands],
      ["/etc/realmwatch", join(folder, "etc")],
      ["/backup/", `${folder}/backup/`],
      ["/usr/local/nagios", join(folder, "nagios")],
      ["/etc/icinga2", "icinga2"],
      ["/var/lib/icinga2", "icinga2-data"],
      ["http://agent.example.org:8080", agent.base],
      ["http://127.0.0.1:8080", agent.base],
      ["https://centre.example.org", aggregator.base],
      ["nats://nats.example.org:4222", nats.url],
      ["redis://redis.example.org:6379", redis.url],
      ["mail.example.org:587", `127.0.0.1:${mail.port}`],
      ["0.0.0.0:8443", `127.0.0.1:${port}`],
      ["10.0.0.5:9100", `127.0.0.1:${metricsPort}`],
      ["-for 1m", "-for 1s"],
    ];
  });

  const withPlaces = (text: string, isNew: boolean): string =>
    places.reduce(
      (found, [written, real]) => found.replaceAll(written, real),
      isNew ? text.replaceAll("/var/lib/realmwatch", "new-data") : text,
    );

  for (const page of pages)
    test(page, async (t) => {
      const name = nameOf(page);
      const { files = {}, codes = {}, server = "", isNew = false } = pageSetups[name] ?? {};
      const cwd = join(folder, name);
      mkdirSync(cwd, { recursive: true });
      for (const each of ["charts", "docs", "shared", "node_modules"]) symlinkSync(join(root, each), join(cwd, each));
      const saved = readSteps(read(page).text).flatMap((step) =>
        step.kind === "file" ? [[step.name, step.text]] : [],
      );
      for (const [path = "", text = ""] of [...Object.entries(files), ...saved]) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), withPlaces(text, isNew));
      }
      const runScript = (script: string) => {
        const words = ["bash", "-euc", `exec 2>&1\n${prelude}\n${withPlaces(script, isNew)}`];
        return runToEnd(words, { env: { ...env, ...servers[server] }, cwd });
      };
      for (const block of blocksOf(page)) {
        const text = block.commands.join("\n");
        if (reasonOf(page, block) !== undefined) continue;
        const missing = ["nagios4", "amtool", "helm"].find((program) => missingFor(text, program));
        if (missing !== undefined) {
          t.diagnostic(`${page}:${block.line} is not run: ${missing} is not installed`);
          continue;
        }
        const script = block.commands.map((command) => {
          const code = Object.entries(codes).find(([begin]) => command.startsWith(begin))?.[1];
          return code === undefined ? command : `{ ${command}\n} || test $? = ${code}`;
        });
        const { code, stdout } = await runScript(script.join("\n"));
        assert.equal(code, 0, `${page}:${block.line}:\n${text}\n${stdout}`);
        for (const line of block.shown.filter((each) => /^[A-Za-z][^0-9]*$/.test(each)))
          assert.ok(hasLine(stdout, line), `${page}:${block.line} shows "${line}", which is not in:\n${stdout}`);
      }
    });
});

const missingFor = (text: string, program: string): boolean =>
  new RegExp(`^${program} `, "m").test(text) &&
  (program === "helm" ? skipWithoutHelm !== false : spawnSync("which", [program]).status !== 0);
