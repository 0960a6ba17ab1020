import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { compilePlan } from "../config/compile/compile-plan.ts";
import { string } from "../config/parser/scalars.ts";
import { required, struct } from "../config/parser/structs.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { formatDiagnostic } from "../model/diagnostic.ts";
import { fail, ok } from "../model/result.ts";
import { systemClock } from "../platform/system-clock.ts";
import { defaultLimits, loadPlan, openLoader } from "./load-document.ts";
import { staticSample } from "./static-sample.fixture.ts";
import { templateSample } from "./template-sample.fixture.ts";

const options = { realm: "default", localZone: "UTC" } as const;
const loader = openLoader(systemClock);
const folder = await mkdtemp(join(tmpdir(), "load-"));
after(async () => {
  await loader.close();
  await rm(folder, { recursive: true });
});
const text = (source: string) => ({ kind: "text", text: source, name: "config.cue" }) as const;
const formatted = (result: { readonly ok: boolean; readonly error?: readonly Diagnostic[] }): string[] =>
  result.ok ? ["it holds"] : (result.error ?? []).map(formatDiagnostic);

const bomb = `l0: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n${Array.from({ length: 8 }, (_, i) => `l${i + 1}: [for x in l${i} for y in l0 {[x, y]}]`).join("\n")}\nhosts: {}\n`;

test("a timeout is one diagnostic, and the next document is loaded", async () => {
  const limits = { ...defaultLimits, timeoutMs: 1_000 };
  assert.deepEqual(formatted(await loader.plan({ source: text(bomb), limits, options })), [
    "config.cue:1:1: evaluation took longer than the 1s it may take",
  ]);
  assert.deepEqual(formatted(await loader.plan({ source: text("hosts: {}"), options })), ["it holds"]);
});

test("exceeding the memory limit is one diagnostic", async () => {
  const limits = { timeoutMs: 600_000, memoryBytes: 60 * 2 ** 20 };
  assert.deepEqual(formatted(await loader.plan({ source: text(bomb), limits, options })), [
    "config.cue:1:1: evaluation needs more than the 60 MiB of memory it may take",
  ]);
});

test("the memory limit also applies to directories", async () => {
  await writeFile(join(folder, "a.cue"), bomb);
  const limits = { timeoutMs: 600_000, memoryBytes: 60 * 2 ** 20 };
  const result = await loader.plan({ source: { kind: "path", path: folder }, names: "base", limits, options });
  assert.deepEqual(formatted(result), ["a.cue:1:1: evaluation needs more than the 60 MiB of memory it may take"]);
});

test("deep nesting is rejected or loaded without a crash", async () => {
  for (const source of [`hosts: {}\nx: ${"{a: ".repeat(5_000)}1${"}".repeat(5_000)}`, `x: ${"[".repeat(20_000)}`]) {
    const result = await loader.plan({ source: text(source), options });
    assert.ok(!result.ok && result.error.length > 0);
  }
});

/** Evaluator that prints what is no JSON, at which the thread ends, the given number of times. */
function failingEvaluator(times: number) {
  const path = join(folder, `cue-${times}`);
  writeFileSync(
    path,
    `#!/bin/sh\nruns=$(cat ${path}.runs 2>/dev/null || echo 0)\necho $((runs + 1)) >${path}.runs\n[ $runs -lt ${times} ] && exec echo s3cr3t\necho '{"hosts": {}}'\n`,
    { mode: 0o755 },
  );
  return { program: { path, version: "0.9.0" }, documentFolder: undefined };
}

test("[RL19] a document whose thread ended without a result is loaded again on another one", async () => {
  const source = text("x: 1 + 1\nhosts: {}\n");
  const evaluator = failingEvaluator(1);
  assert.deepEqual(formatted(await loader.plan({ source, options, evaluator })), ["it holds"]);
});

test("[RL19] a document whose thread ends again without a result is refused with the cause, and the next one is loaded", async () => {
  const source = text("x: 1 + 1\nhosts: {}\n");
  const evaluator = failingEvaluator(2);
  const [line = "", ...more] = formatted(await loader.plan({ source, options, evaluator }));
  assert.match(line, /^config\.cue:1:1: evaluation ended without a result \(SyntaxError at [^ ]+\)$/);
  assert.deepEqual(more, []);
  assert.doesNotMatch(line, /s3cr3t/);
  assert.deepEqual(formatted(await loader.plan({ source, options, evaluator })), ["it holds"]);
});

test("a result of CUE that is nested 100 000 levels deep is refused, and the next document is loaded", async () => {
  const path = join(folder, "cue-deep");
  const evaluator = { program: { path, version: "0.9.0" }, documentFolder: undefined };
  const answer = (before: string, inner: string, after: string) =>
    writeFileSync(
      path,
      `#!/bin/sh\nexec cat <<'END'\n${before.repeat(100_000)}${inner}${after.repeat(100_000)}\nEND\n`,
      { mode: 0o755 },
    );
  const source = text("x: 1 + 1\nhosts: {}\n");
  for (const [before, inner, after] of [
    ["[", "", "]"],
    ['{"hosts":', "1", "}"],
    ['{"x":', "[]", "}"],
  ] as const) {
    answer(before, inner, after);
    const result = await loader.plan({ source, options, evaluator });
    assert.ok(!result.ok && result.error.length > 0, before);
    assert.ok(
      formatted(result).every((line) => line.length < 1_000),
      before,
    );
  }
  assert.deepEqual(formatted(await loader.plan({ source, options, evaluator: failingEvaluator(0) })), ["it holds"]);
});

test("a file that cannot be read is a diagnostic", async () => {
  const load = (name: string) =>
    loader.plan({ source: { kind: "path", path: join(folder, name) }, names: "base", options });
  assert.deepEqual(formatted(await load("nowhere.cue")), [
    "nowhere.cue:1:1: cannot be read: no such file or directory",
  ]);
  await writeFile(join(folder, "bytes.cue"), Buffer.from([0x61, 0x0a, 0x0a, 0x62, 0xff, 0x0a]));
  assert.deepEqual(formatted(await load("bytes.cue")), ["bytes.cue:3:1: is not valid UTF-8"]);
  await symlink("loop.cue", join(folder, "loop.cue"));
  assert.deepEqual(formatted(await load("loop.cue")), ["loop.cue:1:1: cannot be read: too many symbolic links"]);
});

test("diagnostics name files by the given path or by its last part", async () => {
  const path = join(folder, "bad.cue");
  await writeFile(path, "hosts: 1\n");
  const source = { kind: "path", path } as const;
  assert.deepEqual(formatted(await loader.plan({ source, options })), [
    `${path}:1:8: hosts must be a struct, not a number`,
  ]);
});

test("no diagnostic quotes a secret", async () => {
  const secret = "s3cr3t-canary";
  const source = `hosts: h: {address: "x", check: {type: "snmp", address: "x", oid: ".1", community: "${secret}", flap: {}}}
hosts: h: check: community: "${secret}2"
contacts: {
  a: {type: "webhook", url: "https://${secret}@x", group_wait: "${"x"}"}
  a: {url: 3}
  b: {type: "pager", routing_key: ["${secret}"]}
  c: {type: "chat_webhook", webhook_url: "${secret}"} & "${secret}"
}
resources: USER1: "${secret}" & 3
sinks: s: {type: "http", url: "x", headers: Authorization: "${secret}" & "other"}
sinks: t: {type: "http", url: "x", headers: {Authorization: 3}, bogus: "${secret}"}
`;
  const lines = formatted(await loader.plan({ source: text(source), options }));
  assert.ok(lines.length >= 6, lines.join("\n"));
  assert.doesNotMatch(lines.join("\n"), /s3cr3t/);
});

test("no diagnostic of another document quotes a value that its schema declares as secret", async () => {
  const schema = struct(
    { pin: required(string, { help: "A secret.", example: "1", secret: true }) },
    { title: "Door", intro: "A door." },
  ).schema;
  const source = text('pin: "s3cr3t-canary" & "other"\nname: "plain" & "text"');
  const lines = formatted(await loader.document({ source, compile: ok, schema })).join("\n");
  assert.match(lines, /pin.*…/);
  assert.match(lines, /name.*"plain"|name.*"text"/);
  assert.doesNotMatch(lines, /s3cr3t/);
});

test("problems of a document that is compiled on the caller's thread are located", async () => {
  const compile = (json: unknown) =>
    (json as { a: string }).a === "good"
      ? ok("compiled")
      : fail([
          { path: ["a"], message: "a is bad", at: "value" } as const,
          { path: [], message: "c is missing", at: "struct" } as const,
        ]);
  const good = await loader.document({ source: text('a: "good"'), compile });
  assert.ok(good.ok && good.value.value === "compiled");
  assert.deepEqual(formatted(await loader.document({ source: text('x: 1\n\na: "bad"'), compile })), [
    "config.cue:1:1: c is missing",
    "config.cue:3:4: a is bad",
  ]);
  assert.deepEqual(formatted(await loader.document({ source: text('let B = "bad"\n\na: B'), compile })), [
    "config.cue:1:1: c is missing",
    "config.cue:1:9: a is bad",
  ]);
});

test("a plan is deeply frozen, and loading it again gives equal digests", async () => {
  const source = text(templateSample({ hosts: 60, servicesPerHost: 5 }));
  const [one, two] = [await loader.plan({ source, options }), await loadPlan({ source, options, clock: systemClock })];
  assert.ok(one.ok && two.ok, JSON.stringify([one, two].map((loaded) => loaded.ok || loaded.error)));
  assert.equal(one.value.value.objects.size, 2 + 58 * 6 + 1);
  assert.deepEqual(one.value.value, two.value.value);
  const service = one.value.value.objects.get("host-0!http-0");
  assert.ok(
    Object.isFrozen(service) &&
      Object.isFrozen(service?.about.labels) &&
      Object.isFrozen(one.value.value.policies.get("office")?.levels[0]),
  );
});

test("the received plan equals the compiled plan", async () => {
  const full = await readFile(new URL("../../../test/config/good/full.cue", import.meta.url), "utf8");
  for (const source of [full, staticSample({ hosts: 70, servicesPerHost: 4 })]) {
    const json = await loader.document({ source: text(source), compile: (document) => ok(document) });
    assert.ok(json.ok);
    const [here, there] = [
      compilePlan(json.value.value, options),
      await loader.plan({ source: text(source), options }),
    ];
    assert.ok(here.ok && there.ok);
    assert.deepEqual(there.value.value, here.value);
  }
});

test("a problem of the last object rejects a plan whose other objects have been received", async () => {
  const source = `${staticSample({ hosts: 70, servicesPerHost: 9 })}processes: shop: rule: ref: "nowhere"\n`;
  for (const eager of [false, true])
    assert.match(
      formatted(await loader.plan({ source: text(source), options, eager })).join(),
      /"nowhere", which does not exist/,
    );
});

test("a plan of many batches is received completely, eagerly or not", async () => {
  const source = text(staticSample({ hosts: 1_600, servicesPerHost: 10 }));
  const deferred = await loader.plan({ source, options });
  const eager = await loader.plan({ source, options, eager: true });
  assert.ok(deferred.ok && eager.ok);
  assert.equal(deferred.value.value.objects.size, 17_600);
  assert.deepEqual([...eager.value.value.objects.keys()], [...deferred.value.value.objects.keys()]);
  assert.equal(eager.value.value.hash, deferred.value.value.hash);
});

test("concurrent loads run one after the other", async () => {
  const results = await Promise.all(
    ["hosts: {}", "hosts: 1", "hosts: {}"].map((source) => loader.plan({ source: text(source), options })),
  );
  assert.deepEqual(
    results.map((result) => result.ok),
    [true, false, true],
  );
});

test("[PT14] of 200 000 problems 1 000 are reported, and the number of the others", async () => {
  const text = `hosts: {}\n${Array.from({ length: 200_000 }, (_, n) => `x${n}: 1`).join("\n")}\n`;
  const loaded = await loader.plan({
    source: { kind: "text", text, name: "large.cue" },
    options: { realm: "default", localZone: "UTC" },
  });
  assert.ok(!loaded.ok);
  assert.equal(loaded.error.length, 1_001);
  assert.ok(loaded.error.some(({ message }) => message === "199000 further problems are not listed"));
});
