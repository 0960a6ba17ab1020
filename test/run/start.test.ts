import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { root } from "../architecture/sources.ts";
import { call } from "./call.ts";
import { buildCache, copyCheckout } from "./copy-checkout.ts";
import { leftoversOf, runVariable } from "./leftovers.mjs";
import { type JsonRow, statusRows } from "./rows.ts";

type Started = {
  readonly child: ChildProcess;
  readonly run: string;
  output(): string;
  readonly ended: Promise<number | null>;
};

/** Copy of the checkout, because `npm start` builds and other tests use the built files. */
const checkout = mkdtempSync(join(tmpdir(), "checkout-"));
copyCheckout(checkout);
after(() => rmSync(checkout, { recursive: true, force: true }));

/** Runs `npm start` as a terminal does: npm, its shell and the script are one process group. */
function npmStart(flags: readonly string[]): Started {
  const run = randomUUID();
  const child = spawn("npm", ["start", "--", ...flags], {
    cwd: checkout,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, [runVariable]: run, TURBO_CACHE_DIR: buildCache },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data;
    });
  return { child, run, output: () => output, ended: new Promise((resolve) => child.once("exit", resolve)) };
}

/** Interrupts the whole process group, as Ctrl-C in a terminal does. */
const interrupt = ({ child }: Started): boolean => process.kill(-(child.pid as number), "SIGINT");

const hasRow = (rows: Readonly<Record<string, JsonRow>>, matches: (row: JsonRow) => boolean): boolean =>
  Object.values(rows).some(matches);

test("npm start shows a problem, its acknowledgement and a recovery, and leaves no process behind", async (t) => {
  const [port, fra, ams] = [await freePort(), await freePort(), await freePort()];
  const demo = npmStart([`--port=${port}`, `--fra-port=${fra}`, `--ams-port=${ams}`]);
  atEnd(t, () => {
    for (const { pid } of leftoversOf(demo.run)) process.kill(pid, "SIGKILL");
  });
  const base = `http://127.0.0.1:${port}`;
  const limit = { withinMs: 170_000, stopWhen: () => demo.child.exitCode !== null, seen: demo.output };

  await until("the dashboard's address is printed", () => demo.output().includes(`${base}/\n`), limit);
  assert.match(await (await fetch(`${base}/`)).text(), /<html/);
  const acknowledged = await until(
    "a problem is acknowledged through the aggregator",
    async () => Object.entries(await statusRows(base)).find(([, row]) => row.acknowledgement !== undefined),
    limit,
  );
  assert.equal(acknowledged[1].acknowledgement?.author, "centre");
  assert.equal(acknowledged[1].acknowledgement?.onBehalfOf, "robot");
  await until("it recovers", async () => (await statusRows(base))[acknowledged[0]]?.status === "STATUS_OK", limit);
  await until(
    "hosts behind a switch are unreachable",
    async () => hasRow(await statusRows(base), (row) => row.status === "STATUS_UNREACHABLE"),
    limit,
  );
  await until("notifications of contact desk are printed", () => /^desk +\w+ +PROBLEM /m.test(demo.output()), limit);
  await until(
    "a worker checks what is in its zone",
    async () => (await statusRows(base))["fra/proxy-1!http"]?.status === "STATUS_OK",
    limit,
  );
  const history = await call(base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_ACKNOWLEDGED"] });
  assert.ok((history.body["records"] as unknown[]).length > 0);

  interrupt(demo);
  await demo.ended;
  await until("every process has ended", () => leftoversOf(demo.run).length === 0);
});

test("npm start names a port that is in use, and the flag for another one", async (t) => {
  const blocker = createServer();
  atEnd(t, () => blocker.close());
  const port = await freePort();
  await new Promise<void>((resolve) => blocker.listen(port, "127.0.0.1", resolve));
  const demo = npmStart(["--port", String(await freePort()), "--fra-port", String(port)]);
  assert.equal(await demo.ended, 1);
  assert.match(
    demo.output(),
    new RegExp(`Port ${port} is in use; it is needed for the agent of realm fra.*--fra-port`),
  );
  assert.deepEqual(leftoversOf(demo.run), []);
});

test("a plugin of the demo is unknown without its file", async () => {
  const plugin = join(root, "compose/demo/plugins/check_queue.sh");
  const child = spawn(plugin, [join(root, "no-such-file"), "1", "2"], { stdio: ["ignore", "pipe", "ignore"] });
  assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 3);
});
