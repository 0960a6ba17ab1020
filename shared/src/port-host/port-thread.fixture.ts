import { ok } from "../model/result.ts";
import { serveThread } from "../platform/process/thread-client.ts";
import type { RowChange } from "../row/row.ts";
import type { HostedPort } from "./port-host.ts";

/** Functions of the fixture's thread. */
export type FixturePort = HostedPort & { applyRows(changes: readonly RowChange[]): void; ask(what: string): string };

/**
 * Thread in place of a port. `ask` is a command: `rows` answers with the revisions of the applied rows in their order,
 * `end` ends the thread, `hang` blocks it for good, and `start` answers with the text that it started with.
 */
serveThread<{ readonly text: string }, undefined>((start) => {
  const revisions: number[] = [];
  const answers: Readonly<Record<string, () => string>> = {
    rows: () => revisions.join(","),
    start: () => start.text,
    end: () => process.exit(1),
    hang() {
      for (;;);
    },
  };
  const handlers: FixturePort = {
    applyRows: (changes) =>
      void revisions.push(...changes.map((change) => (change.kind === "put" ? change.row.revision : change.revision))),
    heartbeat() {},
    reloadCertificate() {},
    listen: async () => ok({ address: "127.0.0.1", port: 4711, url: "http://127.0.0.1:4711" }),
    ask: (what) => answers[what]?.() ?? "",
    async close() {},
  };
  return ok({ opening: undefined, handlers });
});
