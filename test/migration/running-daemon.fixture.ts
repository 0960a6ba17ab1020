import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { userInfo } from "node:os";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";

/** Name and group of the user who runs the tests. The monitoring system is started as this user. */
export const ownUser = (): { readonly user: string; readonly group: string } => ({
  user: userInfo().username,
  group: execFileSync("id", ["-gn"], { encoding: "utf8" }).trim(),
});

/** Starts a monitoring system, which is killed with its processes at the end of the scope. */
export function startDaemon(scope: TestScope, program: string, args: readonly string[]) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data;
    });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  atEnd(scope, async () => {
    if (child.exitCode !== null || child.pid === undefined) return;
    process.kill(-child.pid, "SIGKILL");
    await exited;
  });
  return {
    assertRuns: (): void => assert.equal(child.exitCode, null, output),
    /** Has it stop by itself, and waits until it has written its files. */
    async stop(): Promise<void> {
      child.kill("SIGTERM");
      await exited;
      assert.equal(child.exitCode, 0, output);
    },
  };
}
