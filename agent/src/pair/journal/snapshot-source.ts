import { readdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { startWorkerThread } from "@realmwatch/shared/platform/process/thread-client";
import { journalFile } from "../../journal/schema/journal-files.ts";
import type { SnapshotPiece } from "./follow-result.ts";
import type { JournalShipper } from "./journal-shipper.ts";
import type { CopiedJournal, SnapshotCopier } from "./snapshot-copier.ts";

/** Beginning of the names of snapshots in the data directory. */
const filePrefix = `${journalFile}.snapshot-`;
const pieceBytes = 1024 * 1024;
/** Time without a read after which a snapshot is removed, ms. */
const unusedMs = 300_000;

type OpenSnapshot = CopiedJournal & { readonly id: string; readonly path: string; readonly file: FileHandle };

type SnapshotSourceOptions = {
  readonly dataDir: string;
  readonly clock: Clock;
  /** Keeps the groups after the snapshot while it is read. */
  readonly shipper: Pick<JournalShipper, "hold">;
};

/** Snapshots of the active member's journal, one at a time. Methods never reject. */
export class SnapshotSource {
  readonly #options: SnapshotSourceOptions;
  readonly #newId: () => string;
  #current: OpenSnapshot | undefined;
  #beginning: Promise<Result<SnapshotPiece, string>> | undefined;
  #release = (): void => {};
  #cancel = (): void => {};

  /** Removes what an earlier process has left. */
  constructor(options: SnapshotSourceOptions) {
    this.#options = options;
    this.#newId = idGenerator(options.clock);
    for (const name of readdirSync(options.dataDir))
      if (name.startsWith(filePrefix)) rmSync(join(options.dataDir, name), { force: true });
  }

  /** Copies the journal, in a thread of its own, and returns the first piece. Ends an earlier snapshot. */
  begin(): Promise<Result<SnapshotPiece, string>> {
    this.#beginning ??= this.#begin().finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  /** Reads a piece. Fails when the snapshot has ended: a new one has to begin. */
  async read(id: string, offset: number): Promise<Result<SnapshotPiece, string>> {
    const snapshot = this.#current;
    if (snapshot === undefined || snapshot.id !== id) return fail("the snapshot has ended");
    this.#endLater();
    try {
      const bytes = new Uint8Array(Math.max(0, Math.min(pieceBytes, snapshot.bytes - offset)));
      const { bytesRead } = await snapshot.file.read(bytes, 0, bytes.length, offset);
      if (bytesRead < bytes.length) return fail(`the snapshot ${snapshot.path} is incomplete`);
      return ok({ id, totalBytes: snapshot.bytes, offset, bytes });
    } catch (error) {
      return fail(`cannot read the snapshot ${snapshot.path}: ${errorText(error)}`);
    }
  }

  /** Ends the snapshot: the standby has it, or is gone. */
  async end(): Promise<void> {
    this.#cancel();
    const ended = this.#current;
    this.#current = undefined;
    this.#release();
    this.#release = () => {};
    await ended?.file.close().catch(() => undefined);
    if (ended !== undefined) rmSync(ended.path, { force: true });
  }

  async #begin(): Promise<Result<SnapshotPiece, string>> {
    await this.end();
    const { dataDir, shipper } = this.#options;
    const id = this.#newId();
    const path = join(dataDir, `${filePrefix}${id}`);
    // From before the copy on, so that no group between it and the tail is dropped.
    this.#release = shipper.hold();
    const copied = await copyJournal(dataDir, path);
    try {
      if (!copied.ok) throw new Error(copied.error);
      this.#current = { ...copied.value, id, path, file: await open(path, "r") };
      return await this.read(id, 0);
    } catch (error) {
      await this.end();
      for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
      return fail(`cannot copy the journal for the standby: ${errorText(error)}`);
    }
  }

  #endLater(): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(unusedMs, () => void this.end());
  }
}

async function copyJournal(dataDir: string, path: string): Promise<Result<CopiedJournal, string>> {
  const copier = await startWorkerThread<undefined, SnapshotCopier>(entryModule("snapshot-copier", import.meta.url), {
    dataDir,
  });
  if (!copier.ok) return copier;
  try {
    return ok(await copier.value.client.request("copy", path));
  } catch (error) {
    return fail(errorText(error));
  } finally {
    await copier.value.client.terminate();
  }
}
