import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { Row } from "@realmwatch/shared/row/row";
import { writeFileAtomically } from "./platform/files/text-file.ts";
import type { OpenRealm } from "./realm/open-realm.ts";

type SnapshotFileOptions = {
  /** Undefined when the flag is not set. */
  readonly path: string | undefined;
  readonly intervalMs: number;
  readonly open: Pick<OpenRealm, "realm" | "rows">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Writes `-snapshot-out` at once and then every `intervalMs`. Returns a function that writes a last one and ends. */
export function startSnapshots(options: SnapshotFileOptions): () => Promise<void> {
  const { path, intervalMs, open, clock, log, metrics } = options;
  if (path === undefined) return async () => {};
  const writtenAt = metrics.gauge({
    name: "snapshot_last_success_timestamp_seconds",
    help: "Unix time at which the snapshot was last written.",
  });
  let failing = "";
  let ended = false;
  let cancel = (): void => {};
  let writing = round(path);

  function* rows(): Generator<Row> {
    for (const change of open.rows.allRows()) if (change.kind === "put") yield change.row;
  }

  async function write(to: string): Promise<void> {
    const { snapshotPieces } = await import("./api/snapshot-text.ts");
    const atMs = clock.now();
    const head = { realm: open.realm.name, atMs, configHash: open.realm.plan.hash };
    const written = await writeFileAtomically(to, snapshotPieces(head, rows()));
    if (written.ok) {
      writtenAt.set(atMs / 1000);
      if (failing !== "") log.info({ path: to }, "the snapshot is written again");
    } else if (failing !== written.error) log.error({ path: to, why: written.error }, "the snapshot cannot be written");
    failing = written.ok ? "" : written.error;
  }

  async function round(to: string): Promise<void> {
    await write(to);
    if (ended) return;
    cancel = clock.after(intervalMs, () => {
      writing = round(to);
    });
  }

  return async () => {
    ended = true;
    cancel();
    await writing;
    await write(path);
  };
}
