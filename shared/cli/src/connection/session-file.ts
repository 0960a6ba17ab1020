import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { readPrivateFile, replacePrivateFile } from "@realmwatch/shared/platform/files/private-file";

/** Session of `realmwatch login`. */
type StoredSession = {
  readonly user: string;
  /** Value of the `Cookie` header; a secret. */
  readonly cookie: string;
  /** End of the session, Unix ms. */
  readonly endsMs: number;
};

/** Sessions by server, in a file of mode 0600. The error of an operation is the system's code or a reason. */
export type SessionFile = {
  readonly path: string;
  /** Returns the session of a server; undefined when it does not exist or has ended. */
  find(server: string, nowMs: number): Promise<StoredSession | undefined>;
  save(server: string, session: StoredSession, nowMs: number): Promise<Result<undefined, string>>;
  remove(server: string, nowMs: number): Promise<Result<undefined, string>>;
};

type Sessions = Record<string, StoredSession>;
type Environment = Readonly<Record<string, string | undefined>>;

const maxFileBytes = 1_048_576;

/** The file below the user's configuration directory; undefined when the environment names no such directory. */
export function openSessionFile(env: Environment): SessionFile | undefined {
  const { XDG_CONFIG_HOME: configured = "", HOME: home = "" } = env;
  if (!configured.startsWith("/") && !home.startsWith("/")) return undefined;
  const folder = configured.startsWith("/") ? configured : join(home, ".config");
  const path = join(folder, "realmwatch", "sessions.json");
  const write = async (sessions: Sessions): Promise<Result<undefined, string>> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => undefined);
    return replacePrivateFile(path, `${JSON.stringify({ version: 1, sessions }, undefined, 2)}\n`);
  };
  return {
    path,
    find: async (server, nowMs) => (await readCurrent(path, nowMs))[server],
    save: async (server, session, nowMs) => write({ ...(await readCurrent(path, nowMs)), [server]: session }),
    async remove(server, nowMs) {
      const { [server]: removed, ...others } = await readCurrent(path, nowMs);
      return removed === undefined ? ok(undefined) : write(others);
    },
  };
}

/** Sessions that have not ended. A missing or damaged file has none. */
async function readCurrent(path: string, nowMs: number): Promise<Sessions> {
  const read = await readPrivateFile(path, maxFileBytes);
  if (!read.ok || read.value === undefined) return {};
  try {
    const { sessions = {} } = JSON.parse(read.value) as { sessions?: Sessions };
    return Object.fromEntries(Object.entries(sessions).filter(([, session]) => isCurrent(session, nowMs)));
  } catch {
    return {};
  }
}

const isCurrent = ({ user, cookie, endsMs }: Partial<StoredSession>, nowMs: number): boolean =>
  typeof user === "string" && typeof cookie === "string" && typeof endsMs === "number" && endsMs > nowMs;
