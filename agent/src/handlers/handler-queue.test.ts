import assert from "node:assert/strict";
import { test } from "node:test";
import type { HandlerPlan, HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { outcome } from "@realmwatch/shared/model/outcome";
import { type HandlerCall, openHandlerQueue } from "./handler-queue.ts";

const restart: HandlerPlan = { run: { type: "legacy", path: "/bin/true", args: [] }, timeoutMs: 1000 };
const request = (host: string, name: string, names: readonly string[]): HandlerCall => ({
  plan: { ref: `${host}!${name}`, key: { kind: "service", host, name } } as ServicePlan,
  host: { ref: host } as HostPlan,
  names,
  macros: {},
});

/** Queue whose handlers end when `end` is called. */
function setUp(limits = { object: 100, all: 1000 }) {
  const running: { ref: string; end: (output?: string) => void }[] = [];
  const ended: string[] = [];
  const queue = openHandlerQueue({
    limits,
    handler: (name) => (name === "gone" ? undefined : restart),
    run: ({ plan: { ref } }) =>
      new Promise((resolve) => running.push({ ref, end: (output = "done") => resolve(outcome("ok", output)) })),
    ended: ({ name, output }) => ended.push(`${name}: ${output}`),
  });
  const settle = () => new Promise((go) => setImmediate(go));
  return { queue, running, ended, settle };
}

test("[EH4] handlers of one object run one after the other, those of other objects in parallel", async () => {
  const { queue, running, ended, settle } = setUp();
  queue.enqueue([
    request("web1", "http", ["all", "own"]),
    request("web1", "http", ["all"]),
    request("web2", "http", ["all"]),
  ]);
  assert.deepEqual(
    running.map(({ ref }) => ref),
    ["web1!http", "web2!http"],
  );
  running[0]?.end("first");
  await settle();
  assert.deepEqual(ended, ["all: first"]);
  running[2]?.end("second");
  await settle();
  running[3]?.end("third");
  running[1]?.end("other");
  await settle();
  assert.deepEqual(ended, ["all: first", "own: second", "all: third", "all: other"]);
  assert.equal(queue.waiting, 0);
});

test("[EH4] a removed handler and a request above the limit are reported as not run", async () => {
  const { queue, ended, settle } = setUp({ object: 1, all: 1 });
  queue.enqueue([request("web1", "http", ["all"]), request("web1", "http", ["all"]), request("web2", "http", ["own"])]);
  assert.deepEqual(ended, ["all: not run: too many handlers wait", "own: not run: too many handlers wait"]);
  const other = setUp();
  other.queue.enqueue([request("web1", "http", ["gone"])]);
  await settle();
  assert.deepEqual(other.ended, ["gone: the handler was not run: it was removed from the configuration"]);
});
