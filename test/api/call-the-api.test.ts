import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { read } from "../architecture/sources.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";

const run = promisify(execFile);
const page = read("docs/how-to/call-the-api.md").text;
const examples = new Map(
  [...page.matchAll(/<!-- test: ([\w-]+) -->\n```\w+\n([\s\S]*?)```/g)].map(([, name = "", code = ""]) => [name, code]),
);

/** Command that runs an example: the program that it needs, the file for the example's code, and its words. */
const tools: Record<string, { needs: string; file: string; words: (file: string) => [string, ...string[]] }> = {
  curl: { needs: "curl", file: "example.sh", words: (file) => ["sh", "-e", file] },
  "curl-get": { needs: "curl", file: "example.sh", words: (file) => ["sh", "-e", file] },
  grpcurl: { needs: "grpcurl", file: "example.sh", words: (file) => ["sh", "-e", file] },
  typescript: { needs: process.execPath, file: "example.mts", words: (file) => [process.execPath, file] },
  python: { needs: "python3", file: "example.py", words: (file) => ["python3", file] },
  go: { needs: "go", file: "example.go", words: (file) => ["go", "run", file] },
};

function isInstalled(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v "${program}"`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("every example of the page is run, and none is missing", () =>
  assert.deepEqual([...examples.keys()].sort(), Object.keys(tools).sort()));

test("the examples of docs/how-to/call-the-api.md read a host and add a comment", async (t) => {
  const check = '{type: "passive", freshness_threshold: "1h", flap: {}}';
  const agent = await startTestAgent(t, { config: `hosts: web1: {address: "x", check: ${check}}\n` });
  const expected: string[] = [];
  for (const [name, { needs, file, words }] of Object.entries(tools))
    await t.test(name, { skip: isInstalled(needs) ? false : `${needs} is not installed` }, async (sub) => {
      const path = join(tempFolder(sub), file);
      writeFileSync(path, examples.get(name) ?? "");
      const [program, ...args] = words(path);
      // Go keeps its cache below HOME.
      const env = { HOME: tempFolder(sub), ...process.env, SERVER: agent.base, ADDRESS: `127.0.0.1:${agent.port}` };
      const { stdout } = await run(program, args, { env, timeout: 170_000 });
      assert.match(stdout, /"web1"/);
      if (name !== "curl-get") expected.push(`from ${name}`);
    });
  const comments = async (): Promise<string[]> => {
    const response = await fetch(`${agent.base}/svc.v1.QueryService/ListStatus`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"object": {"host": {"name": "web1"}}}',
    });
    const { rows } = (await response.json()) as { rows: { comments?: { text: string }[] }[] };
    return (rows[0]?.comments ?? []).map(({ text }) => text);
  };
  await until("the comments", async () => (await comments()).length === expected.length, {});
  assert.deepEqual(await comments(), expected);
});
