import { statSync } from "node:fs";
import { type Identity, roleCovers } from "../../model/role.ts";
import type { ProgramFlags } from "../program-flags.ts";

type StartWarningOptions = {
  readonly flags: Pick<ProgramFlags, "apiToken" | "authConfig" | "listen" | "publicUrl" | "readOnly" | "tlsCert">;
  /** Name of the realm that publishes to a centre; undefined for a program that publishes none. */
  readonly realm?: string | undefined;
  /** Paths of the documents that the program reads; undefined for those that are not given. */
  readonly documents: readonly (string | undefined)[];
};

const loopbackHost = /^(?:localhost|127(?:\.\d+){3}|::1)$/;

/** Permission of a mode with which users other than the owner and its group may write. */
const writableByOthers = 0o002;

function isWritableByOthers(path: string): boolean {
  try {
    return (statSync(path).mode & writableByOthers) !== 0;
  } catch {
    // A file that cannot be reached has problems of its own, which the reload of the document reports.
    return false;
  }
}

const areCommandsOpen = ({ apiToken, authConfig, readOnly }: StartWarningOptions["flags"]): boolean =>
  authConfig === undefined && apiToken === undefined && !readOnly;

/** Warnings about a program that is not protected, each with a remedy. It starts all the same, so that a first start is easy. */
export function startWarnings({ flags, realm, documents }: StartWarningOptions): readonly string[] {
  const { listen, publicUrl, tlsCert } = flags;
  const warnings: string[] = [];
  if (areCommandsOpen(flags))
    warnings.push("every client that reaches the port may send commands: see -auth-config, -api-token and -read-only");
  if (!loopbackHost.test(listen.host) && tlsCert === undefined && publicUrl?.startsWith("https:") !== true)
    warnings.push(
      "the port has no TLS, so that passwords, tokens and data can be read on their way: see -tls-cert, or -public-url for a proxy with TLS",
    );
  if (realm === "default")
    warnings.push(
      "the realm has the name that all agents have by default: each agent of a centre needs its own -realm",
    );
  for (const path of documents)
    if (path !== undefined && isWritableByOthers(path))
      warnings.push(`every user of this machine may write ${path}: chmod o-w it`);
  return warnings;
}

/**
 * [PT48] Warnings, as of now, that a caller may read: an administrator, or every caller where all of them may send commands.
 *
 * @param caller undefined when callers are not authenticated
 */
export const warningsFor = (caller: Identity | undefined, options: StartWarningOptions): readonly string[] =>
  (caller === undefined ? areCommandsOpen(options.flags) : roleCovers(caller.role, "admin"))
    ? startWarnings(options)
    : [];
