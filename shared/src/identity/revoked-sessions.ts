import type { Clock } from "../model/clock.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { appendPrivateFile, readPrivateFile, replacePrivateFile } from "../platform/files/private-file.ts";
import type { Session } from "./session-token.ts";

/** Sessions that ended by a logout, until they would have ended anyway. */
export type RevokedSessions = {
  has(session: Session): boolean;
  /** Revokes a session at once; resolves when that is on disk too, or could not be written. */
  add(session: Session): Promise<void>;
};

/** Exchange of revocations with the other replicas of a program. Nothing rejects while it is away. */
export type RevocationExchange = {
  /** Sends revocations, each as one text until a time, Unix ms. */
  add(texts: readonly { readonly text: string; readonly until: number }[]): Promise<void>;
  /**
   * Passes the texts of all replicas to `onStored`, now and later, and sends those of `own` where they are missing.
   * Resolves after the first read, or when that takes too long.
   */
  follow(follower: {
    own(): readonly { readonly text: string; readonly until: number }[];
    onStored(texts: readonly string[]): void;
  }): Promise<void>;
};

type RevokedSessionsOptions = {
  /** File in which revocations survive a restart; undefined when sessions end with the process anyway. */
  readonly path: string | undefined;
  readonly clock: Clock;
  /** Lifetime of a session, ms. */
  readonly ttlMs: number;
  /** Exchange with other replicas, which needs `path`; undefined for a program without any. */
  readonly exchange?: RevocationExchange | undefined;
  /** Called with the system's error code when a revocation could not be written. */
  onWriteFailed(code: string): void;
};

/** Line of the file: one session, or all sessions of a name that began until a time. Times are Unix ms. */
type Entry =
  | { readonly id: string; readonly name: string; readonly until: number }
  | { readonly name: string; readonly issuedUntil: number; readonly until: number };

const maxFileBytes = 64 * 1_048_576;
/** Bytes of UTF-8 that a UTF-16 unit takes at most. */
const maxUtf8Bytes = 3;
/** Number of revoked sessions that are kept of one name; at the next one, all sessions of the name so far are revoked. */
const maxPerName = 1_000;
/** The same for revocations of other replicas, of which several may be near their own limit. */
const maxLearnedPerName = 10 * maxPerName;
/** Time by which the clock of another replica may be ahead, ms. */
const maxSkewMs = 60_000;

/** Opens the revoked sessions. @returns an error of one line when the file cannot be read or written */
export async function openRevokedSessions(options: RevokedSessionsOptions): Promise<Result<RevokedSessions, string>> {
  const { path, clock, ttlMs, exchange, onWriteFailed } = options;
  const revoked = new RevocationList(clock, ttlMs);
  if (path === undefined) return ok({ has: (session) => revoked.has(session), add: async (s) => void revoked.add(s) });
  const read = await readPrivateFile(path, maxFileBytes);
  if (!read.ok) return fail(`${path} cannot be read: ${read.error}`);
  for (const line of (read.value ?? "").split("\n")) revoked.load(parseEntry(line));
  const replaceFile = () => replacePrivateFile(path, revoked.entries().map(formatEntry).join(""));
  const compacted = read.value === undefined ? ok(undefined) : await replaceFile();
  if (!compacted.ok) return fail(`${path} cannot be written: ${compacted.error}`);
  let isComplete = true;
  let lastWrite: Promise<void> = Promise.resolve();
  const write = (entry: Entry): Promise<void> => {
    lastWrite = lastWrite.then(async () => {
      // After a failed write the file lacks an entry, or ends in a part of one.
      const written = await (isComplete ? appendPrivateFile(path, formatEntry(entry)) : replaceFile());
      isComplete = written.ok;
      if (!written.ok) onWriteFailed(written.error);
    });
    return lastWrite;
  };
  let knownBytes = Buffer.byteLength(read.value ?? "");
  await exchange?.follow({
    own: () => revoked.entries().map(asText),
    onStored(texts) {
      for (const text of texts) {
        // A file that others have filled could not be read at the next start.
        if (knownBytes + text.length * maxUtf8Bytes > maxFileBytes / 2) return;
        const entry = parseEntry(text);
        const learned = entry && revoked.learn(entry);
        if (learned === undefined) continue;
        knownBytes += text.length * maxUtf8Bytes;
        void write(learned);
      }
    },
  });
  return ok({
    has: (session) => revoked.has(session),
    async add(session) {
      const entry = revoked.add(session);
      if (entry === undefined) return lastWrite;
      await Promise.all([write(entry), exchange?.add([asText(entry)])]);
    },
  });
}

/** The revocations in memory, by name. */
class RevocationList {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #byName = new Map<string, { readonly ids: Map<string, number>; issuedUntil: number; until: number }>();

  constructor(clock: Clock, ttlMs: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  has({ id, name, issuedMs }: Session): boolean {
    const of = this.#byName.get(name);
    return of !== undefined && (of.ids.has(id) || issuedMs <= of.issuedUntil);
  }

  /** @returns the entry to persist; undefined when the session was revoked before */
  add(session: Session): Entry | undefined {
    if (this.has(session)) return undefined;
    this.#forgetEnded();
    const { id, name, expiresMs: until } = session;
    const isFull = (this.#byName.get(name)?.ids.size ?? 0) >= maxPerName;
    const nowMs = this.#clock.now();
    const entry: Entry = isFull ? { name, issuedUntil: nowMs, until: nowMs + this.#ttlMs } : { id, name, until };
    this.load(entry);
    return entry;
  }

  /** Adds an entry of another replica. @returns what was added; undefined when it is known, has ended or is implausible */
  learn(entry: Entry): Entry | undefined {
    const nowMs = this.#clock.now();
    const of = this.#byName.get(entry.name);
    if (entry.until <= nowMs) return undefined;
    if ("id" in entry) {
      if (of !== undefined && (of.ids.has(entry.id) || of.ids.size >= maxLearnedPerName)) return undefined;
    } else if (entry.issuedUntil > nowMs + maxSkewMs || (of !== undefined && entry.issuedUntil <= of.issuedUntil))
      return undefined;
    // No session lasts longer here, whatever the other replica's lifetime is.
    const learned = { ...entry, until: Math.min(entry.until, nowMs + this.#ttlMs + maxSkewMs) };
    this.load(learned);
    return learned;
  }

  load(entry: Entry | undefined): void {
    if (entry === undefined || entry.until <= this.#clock.now()) return;
    const of = this.#byName.getOrInsertComputed(entry.name, () => ({
      ids: new Map(),
      issuedUntil: Number.NEGATIVE_INFINITY,
      until: 0,
    }));
    if ("id" in entry) {
      of.ids.set(entry.id, entry.until);
      return;
    }
    // Sessions that began later, at a replica whose clock is ahead, stay revoked on their own.
    for (const [id, until] of of.ids) if (until - this.#ttlMs <= entry.issuedUntil) of.ids.delete(id);
    of.issuedUntil = Math.max(of.issuedUntil, entry.issuedUntil);
    of.until = Math.max(of.until, entry.until);
  }

  entries(): Entry[] {
    return [...this.#byName].flatMap(([name, { ids, issuedUntil, until: allUntil }]) => [
      ...(allUntil > 0 ? [{ name, issuedUntil, until: allUntil }] : []),
      ...[...ids].map(([id, until]) => ({ id, name, until })),
    ]);
  }

  #forgetEnded(): void {
    const nowMs = this.#clock.now();
    for (const [name, { ids, until: allUntil }] of this.#byName) {
      for (const [id, until] of ids) if (until <= nowMs) ids.delete(id);
      if (ids.size === 0 && allUntil <= nowMs) this.#byName.delete(name);
    }
  }
}

const formatEntry = (entry: Entry): string => `${JSON.stringify(entry)}\n`;
const asText = (entry: Entry) => ({ text: JSON.stringify(entry), until: entry.until });

/** Undefined for a line that a crash has cut off: its logout was not answered. */
function parseEntry(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<Record<"id" | "name" | "until" | "issuedUntil", unknown>>;
    const { id, name, until, issuedUntil } = entry;
    if (typeof name !== "string" || typeof until !== "number") return undefined;
    if (typeof id === "string") return { id, name, until };
    return typeof issuedUntil === "number" ? { name, issuedUntil, until } : undefined;
  } catch {
    return undefined;
  }
}
