import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { freePort } from "./free-port.fixture.ts";
import { until } from "./until.fixture.ts";

/** Takes a number of ports one after another, prints them, and ends when its standard input does. */
const takePorts = `
import { freePort } from ${JSON.stringify(new URL("free-port.fixture.ts", import.meta.url).href)};
// All processes begin at the same port.
Object.defineProperty(process, "pid", { value: 1 });
const ports = [];
while (ports.length < Number(process.argv[1])) ports.push(await freePort());
console.log(JSON.stringify(ports));
process.stdin.resume();
`;

function startTaker(count: number): ChildProcess {
  const words = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", takePorts, String(count)];
  return spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
}

async function portsOf({ stdout }: ChildProcess): Promise<readonly number[]> {
  assert.ok(stdout);
  const [line] = await once(createInterface(stdout), "line");
  return JSON.parse(String(line));
}

async function kill(taker: ChildProcess): Promise<void> {
  const exit = once(taker, "exit");
  taker.kill("SIGKILL");
  await exit;
}

test("processes that look for ports at the same time get different ones, and a killed process holds none", async () => {
  const takers = Array.from({ length: 6 }, () => startTaker(20));
  try {
    const ports = (await Promise.all(takers.map(portsOf))).flat();
    assert.equal(new Set(ports).size, 120);
    assert.ok(!ports.includes(await freePort()));
  } finally {
    await Promise.all(takers.map(kill));
  }
  // Another test may take the port between the two.
  await until("the port of a killed process is given again", async () => {
    const first = await firstPort();
    return (await firstPort()) === first;
  });
});

/** The port that a process gets first, once that process was killed. */
async function firstPort(): Promise<number | undefined> {
  const taker = startTaker(1);
  try {
    return (await portsOf(taker))[0];
  } finally {
    await kill(taker);
  }
}
