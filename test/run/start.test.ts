import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/process/spawned-server";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { root } from "../architecture/sources.ts";
import { call } from "./call.ts";
import { buildCache, copyCheckout } from "./copy-checkout.ts";
import { leftoversOf, runVariable } from "./leftovers.mjs";
import { type JsonRow, statusRows } from "./rows.ts";

type Started = {
  readonly child: ChildProcess;
  readonly run: string;
  said(): string;
  readonly ended: Promise<number | null>;
};

/** `npm start` builds, and other tests read what is built: it has a checkout of its own. */
const checkout = mkdtempSync(join(tmpdir(), "checkout-"));
copyCheckout(checkout);
after(() => rmSync(checkout, { recursive: true, force: true }));

/** `npm start` as a terminal has it: npm, its shell and the script in one process group. */
function npmStart(flags: readonly string[]): Started {
  const run = randomUUID();
  const child = spawn("npm", ["start", "--", ...flags], {
    cwd: checkout,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, [runVariable]: run, TURBO_CACHE_DIR: buildCache },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      said += data;
    });
  return { child, run, said: () => said, ended: new Promise((resolve) => child.once("exit", resolve)) };
}

/** What Ctrl-C does: the terminal interrupts the whole group, and npm passes its own on. */
const interrupt = ({ child }: Started): boolean => process.kill(-(child.pid as number), "SIGINT");

const isSeen = (rows: Readonly<Record<string, JsonRow>>, hold: (row: JsonRow) => boolean): boolean =>
  Object.values(rows).some(hold);

test("npm start shows a problem, its acknowledgement and a recovery, and leaves nothing behind", async (t) => {
  const [port, fra, ams] = [await freePort(), await freePort(), await freePort()];
  const demo = npmStart([`--port=${port}`, `--fra-port=${fra}`, `--ams-port=${ams}`]);
  t.after(() => {
    for (const { pid } of leftoversOf(demo.run)) process.kill(pid, "SIGKILL");
  });
  const base = `http://127.0.0.1:${port}`;
  const patience = { withinMs: 90_000, stopWhen: () => demo.child.exitCode !== null };

  await until("the dashboard's address is printed", () => demo.said().includes(`${base}/\n`), patience);
  assert.match(await (await fetch(`${base}/`)).text(), /<html/);
  const acknowledged = await until(
    "a problem is acknowledged through the aggregator",
    async () => Object.entries(await statusRows(base)).find(([, row]) => row.acknowledgement !== undefined),
    patience,
  );
  assert.equal(acknowledged[1].acknowledgement?.author, "centre");
  assert.equal(acknowledged[1].acknowledgement?.onBehalfOf, "robot");
  await until("it recovers", async () => (await statusRows(base))[acknowledged[0]]?.status === "STATUS_OK", patience);
  await until(
    "hosts behind a switch are unreachable",
    async () => isSeen(await statusRows(base), (row) => row.status === "STATUS_UNREACHABLE"),
    patience,
  );
  await until("the terminal says what the desk was told", () => /^desk +\w+ +PROBLEM /m.test(demo.said()), patience);
  await until(
    "a worker checks what is in its zone",
    async () => (await statusRows(base))["fra/proxy-1!http"]?.status === "STATUS_OK",
    patience,
  );
  const history = await call(base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_ACKNOWLEDGED"] });
  assert.ok((history.body["records"] as unknown[]).length > 0);

  interrupt(demo);
  await demo.ended;
  await until("every process has ended", () => leftoversOf(demo.run).length === 0);
});

test("npm start says which port is taken, and by which flag to choose another", async (t) => {
  const taken = createServer();
  t.after(() => taken.close());
  const port = await freePort();
  await new Promise<void>((resolve) => taken.listen(port, "127.0.0.1", resolve));
  const demo = npmStart(["--port", String(await freePort()), "--fra-port", String(port)]);
  assert.equal(await demo.ended, 1);
  assert.match(demo.said(), new RegExp(`Port ${port} is taken; it is wanted for the agent of realm fra.*--fra-port`));
  assert.deepEqual(leftoversOf(demo.run), []);
});

test("a plugin of the demo judges as plugins do", async () => {
  const plugin = join(root, "compose/demo/plugins/check_queue.sh");
  const child = spawn(plugin, [join(root, "no-such-file"), "1", "2"], { stdio: ["ignore", "pipe", "ignore"] });
  assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 3);
});
