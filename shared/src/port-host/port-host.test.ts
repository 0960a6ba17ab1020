import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { errorText } from "../platform/error-text.ts";
import type { ThreadClient } from "../platform/process/thread-client.ts";
import { systemClock } from "../platform/system-clock.ts";
import { until } from "../platform/testing/until.fixture.ts";
import { blankRow, type RowChange } from "../row/row.ts";
import { PortHost } from "./port-host.ts";
import type { FixturePort } from "./port-thread.fixture.ts";
import { RowFeed } from "./row-feed.ts";

const put = (name: string, revision: number): RowChange => ({
  kind: "put",
  row: { ...blankRow, revision, about: { ...blankRow.about, key: { kind: "host", name } } },
});

/** Host of the fixture's thread, with a clock whose seconds last 200 ms and the rows `a` and `b`. */
async function openHost(
  t: TestContext,
  beforeFeed: (start: number, port: ThreadClient<FixturePort>) => void = () => {},
) {
  const rows = [put("a", 1), put("b", 2)];
  const logged: string[] = [];
  const log = (_: object, text: string): void => void logged.push(text);
  const clock = {
    now: systemClock.now,
    monotonic: () => systemClock.monotonic() * 5,
    after: (ms: number, wake: () => void) => systemClock.after(ms / 5, wake),
  };
  const module = new URL("./port-thread.fixture.ts", import.meta.url);
  const host = new PortHost<FixturePort>({ clock, log: { info: log, error: log } as never });
  let feed: RowFeed | undefined;
  let starts = 0;
  let signs = 0;
  const livenessError = (): undefined => {
    signs += 1;
  };
  const opened = await host.open({
    ...{ module, unaffected: "checks and notifications", engine: {}, livenessError },
    startData: ({ number, listenArguments }) => ({
      text: `7.${number} ${["-listen=127.0.0.1:0", ...listenArguments].join(" ")}`,
    }),
    feed(port) {
      starts += 1;
      beforeFeed(starts, port);
      feed = new RowFeed({ clock, send: (changes) => port.request("applyRows", changes) });
      return feed.start(rows);
    },
    feedEnded: () => feed?.end(),
  });
  assert.ok(opened.ok);
  t.after(() => host.close(0));
  const ask = async (what: string): Promise<string> => {
    try {
      return (await host.thread?.request("ask", what)) ?? "";
    } catch (error) {
      return errorText(error);
    }
  };
  return { host, rows, logged, ask, feed: () => feed, starts: () => starts, signs: () => signs };
}

test("[PT43] a port starts from all rows, then gets the latest change of each object before a flush ends", async (t) => {
  const { ask, feed } = await openHost(t);
  assert.equal(await ask("rows"), "1,2");
  feed()?.changed([put("a", 3)]);
  feed()?.changed([put("b", 4), put("a", 5)]);
  await feed()?.flush();
  assert.equal(await ask("rows"), "1,2,5,4");
});

for (const fault of ["end", "hang"])
  test(`[PT41] a port whose thread should ${fault} is replaced by one at its address with the present rows`, async (t) => {
    const { host, rows, logged, ask } = await openHost(t);
    rows.push(put("c", 9));
    const lost = ask(fault);
    await until("a port has the present rows", async () => (await ask("rows")) === "1,2,9");
    await until("the port is open again", () => logged.includes("the port is open again"));
    assert.match(await lost, /ended/);
    assert.equal(await ask("start"), "7.2 -listen=127.0.0.1:0 -listen=127.0.0.1:4711");
    assert.equal(host.restarts, 1);
    assert.deepEqual(logged, [
      "the port has ended and is started again; checks and notifications go on",
      "the port is open again",
    ]);
  });

test("[PT41] a port that hangs does not keep the program from ending", async (t) => {
  const { host, ask } = await openHost(t);
  const lost = ask("hang");
  await host.close(0);
  assert.match(await lost, /ended/);
});

test("[PT41] a port is not replaced because the whole process stood still", async (t) => {
  const { host, ask, signs } = await openHost(t);
  const before = signs();
  await until("the port has answered", () => signs() > before + 1);
  // 12 s of the host's clock, as after SIGSTOP and SIGCONT.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_400);
  const after = signs();
  await until("signs of life follow", () => signs() > after + 2);
  assert.equal(await ask("rows"), "1,2");
  assert.equal(host.restarts, 0);
});

test("[PT41] a thread that hangs while it is opened is replaced by one, and no other is left beside it", async (t) => {
  const { host, logged, ask, starts, signs } = await openHost(t, (start, port) => {
    if (start === 2) void port.request("ask", "hang").catch(() => {});
  });
  void ask("end");
  await until("the third thread has the rows", async () => starts() >= 3 && (await ask("rows")) === "1,2");
  await until("the port is open again", () => logged.includes("the port is open again"));
  // The next start would come half a second later; signs of life come every second.
  const before = signs();
  await until("three signs of life were given", () => signs() >= before + 3);
  assert.deepEqual([starts(), host.restarts, logged.filter((text) => text.includes("open again")).length], [3, 2, 1]);
  assert.match(await ask("start"), /^7\.3 /);
});
