import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { startWorkerThread, type ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import type { JournalOptions } from "../../journal/journal-contract.ts";
import type { VerifiedFile } from "../../journal/schema/verified-file.ts";
import type { CursorEntries } from "../../journal/shipping/group-shipping.ts";
import type { JournalPosition } from "../../journal/shipping/journal-position.ts";
import { pruneDivergedCopies } from "./diverged-copies.ts";
import type { FollowResult, PieceResult, SnapshotPiece } from "./follow-result.ts";
import type { FollowerOpening, FollowerStore } from "./follower-store.ts";

type JournalFollowerOptions = Pick<JournalOptions, "dataDir" | "realm" | "verified"> & {
  /** Called when a snapshot has replaced the journal: what reads it has to be opened again. */
  onReplaced?(): void;
  /** Called with the folder of an old diverged copy before it is removed. */
  onCopyRemoved?(folder: string): void;
};

/**
 * Journal of a standby: applies what the active member commits. Calls are carried out in their order, so that the next
 * groups can be sent before the last ones are on the disk. It holds the data directory until it is closed; the agent opens
 * the same journal when the member becomes active.
 */
export class JournalFollower {
  readonly #options: JournalFollowerOptions;
  readonly #writer: ThreadClient<FollowerStore>;
  #state: FollowerOpening;

  constructor(options: JournalFollowerOptions, writer: ThreadClient<FollowerStore>, opening: FollowerOpening) {
    this.#options = options;
    this.#writer = writer;
    this.#state = opening;
  }

  /** End of the journal: all up to it is on this member's disk. */
  position(): JournalPosition {
    return this.#state.end;
  }

  /** Facts that this member has noted for itself; undefined before it has noted any. */
  facts(): string | undefined {
    return this.#state.facts;
  }

  /** Running document of the active member; undefined when it never had one. */
  document(): string | undefined {
    return this.#state.document;
  }

  /** Stores what this member notes for itself; durable when it resolves with ok. */
  async keepFacts(json: string): Promise<Result<void, string>> {
    try {
      const kept = await this.#writer.request("keepFacts", json);
      if (kept.ok) this.#state = { ...this.#state, facts: json };
      return kept;
    } catch (error) {
      return fail(errorText(error));
    }
  }

  /** Applies groups durably (`JournalShipper.next`), then stores the cursors. */
  async apply(lines: Uint8Array, cursors: CursorEntries): Promise<FollowResult> {
    const result = await this.#ask(() => this.#writer.request("apply", lines, cursors));
    this.#note(result);
    return result;
  }

  /**
   * Writes a piece of a snapshot. The last one is checked and replaces the journal; a journal that has diverged from it
   * is copied to `diverged/` before.
   */
  async takePiece(piece: SnapshotPiece): Promise<PieceResult> {
    const { onReplaced, onCopyRemoved, dataDir } = this.#options;
    const result = await this.#ask(() => this.#writer.request("takePiece", piece));
    if (result.kind === "waiting") return result;
    this.#note(result);
    if (result.kind !== "applied") return result;
    pruneDivergedCopies(dataDir, (folder) => onCopyRemoved?.(folder));
    onReplaced?.();
    return result;
  }

  /** Releases the data directory. Returns the closed file for `openJournal`, which then opens it quickly. */
  async close(): Promise<VerifiedFile | undefined> {
    try {
      return await this.#writer.request("close");
    } catch {
      return undefined;
    } finally {
      await this.#writer.terminate();
    }
  }

  #note(result: FollowResult): void {
    const { end } = result;
    const document = result.kind === "applied" && "document" in result ? result.document : this.#state.document;
    this.#state = { ...this.#state, end, document };
  }

  async #ask<T>(request: () => Promise<T>): Promise<T | Extract<FollowResult, { kind: "failed" }>> {
    try {
      return await request();
    } catch (error) {
      return { kind: "failed", end: this.#state.end, why: errorText(error) };
    }
  }
}

/**
 * Opens the journal of a standby, whose data directory it reserves for this process; creates it when missing.
 *
 * @returns the follower, or the sentence of `openJournal`
 */
export async function openJournalFollower(options: JournalFollowerOptions): Promise<Result<JournalFollower, string>> {
  const { dataDir, realm, verified } = options;
  const writer = await startWorkerThread<FollowerOpening, FollowerStore>(
    entryModule("follower-writer", import.meta.url),
    { dataDir, realm, verified },
  );
  return writer.ok ? ok(new JournalFollower(options, writer.value.client, writer.value.opening)) : writer;
}
