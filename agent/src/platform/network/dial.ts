import { connect, type Socket } from "node:net";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** Time that an address has alone before the next one is tried in parallel, ms (RFC 8305 recommends 250). */
const headStartMs = 250;

type Target = { /** IP addresses, at least one. */ readonly addresses: readonly string[]; readonly port: number };

/**
 * Connects to the first of `addresses` that accepts (RFC 8305, "Happy Eyeballs"): attempts to slow addresses continue
 * while the next one is tried. The error is that of the first address, such as `ECONNREFUSED`, or `ABORTED`. Never
 * rejects. The caller must listen for errors of the returned socket.
 */
export function dial({ addresses, port }: Target, clock: Clock, signal: AbortSignal): Promise<Result<Socket, string>> {
  return new Promise((resolve) => {
    const open = new Set<Socket>();
    let next = 0;
    let firstError = "";
    let cancelHeadStart = (): void => {};

    function settle(result: Result<Socket, string>): void {
      cancelHeadStart();
      signal.removeEventListener("abort", abort);
      for (const socket of open) if (!result.ok || socket !== result.value) socket.destroy();
      open.clear();
      resolve(result);
    }
    const abort = (): void => settle(fail("ABORTED"));

    function tryNext(): void {
      cancelHeadStart();
      const host = addresses[next++];
      if (host === undefined) return;
      if (next < addresses.length) cancelHeadStart = clock.after(headStartMs, tryNext);
      const socket = connect({ host, port, noDelay: true });
      open.add(socket);
      const failed = (error: Error & { code?: string }): void => {
        if (!open.delete(socket)) return;
        firstError ||= error.code ?? error.message;
        if (next < addresses.length) tryNext();
        else if (open.size === 0) settle(fail(firstError));
      };
      socket.on("error", failed);
      socket.once("connect", () => {
        if (!open.has(socket)) return;
        socket.off("error", failed);
        settle(ok(socket));
      });
    }

    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    tryNext();
  });
}
