import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { NameResolver } from "../../platform/dns/name-resolver.ts";
import { trustedAuthorities } from "../../platform/network/trusted-roots.ts";
import { type AttemptResult, mayHaveArrived, reject, retry } from "../../platform/outbound/delivery-result.ts";
import type { DeliverySettings } from "../delivery-settings.ts";
import { openSmtpSession, type SmtpEnvelope, type SmtpSession } from "./smtp-session.ts";
import { parseSmtpUrl, type SmtpServer } from "./smtp-url.ts";

/** Time after which an idle session is closed, ms; servers reject clients that stay connected longer. */
const idleMs = 5_000;
/** Most mails of one session; servers reject more. */
const mailsPerSession = 100;

export type SmtpPool = ReturnType<typeof openSmtpPool>;

type SmtpPoolOptions = {
  readonly clock: Clock;
  readonly resolver: NameResolver;
  readonly settings: Pick<DeliverySettings, "smtpUrl" | "smtpPassword">;
  readonly extraAuthorities?: string | undefined;
};

/** Session with the number of mails that it has carried. */
type UsedSession = { readonly session: SmtpSession; readonly used: number };
type IdleSession = UsedSession & { readonly cancel: () => void };
type Mail = readonly [envelope: SmtpEnvelope, content: Buffer];

const timedOut = retry("timeout", "the mail server did not answer in time");

/** Opens the delivery of mails to the server of `-smtp-url`, whose connections are reused. */
export function openSmtpPool({ clock, resolver, settings, extraAuthorities }: SmtpPoolOptions) {
  const server: Result<SmtpServer | undefined, string> =
    settings.smtpUrl === undefined ? ok(undefined) : parseSmtpUrl(settings.smtpUrl);
  const authorities = trustedAuthorities(extraAuthorities);
  const idle: IdleSession[] = [];
  let closed = false;

  function release(session: SmtpSession, used: number): void {
    if (closed || used >= mailsPerSession || !session.usable()) return session.quit();
    const cancel = clock.after(idleMs, () => {
      idle.splice(idle.indexOf(entry), 1);
      session.quit();
    });
    const entry: IdleSession = { session, used, cancel };
    idle.push(entry);
  }

  function takeIdle(): IdleSession | undefined {
    for (let entry = idle.pop(); entry !== undefined; entry = idle.pop()) {
      entry.cancel();
      if (entry.session.usable()) return entry;
      entry.session.destroy();
    }
    return undefined;
  }

  async function sendOver({ session, used }: UsedSession, mail: Mail, signal: AbortSignal): Promise<AttemptResult> {
    const result = await sendMail(session, mail, signal);
    release(session, used + 1);
    return result;
  }

  /** Delivers a mail. Never rejects. */
  async function deliver(envelope: SmtpEnvelope, mail: Buffer, signal: AbortSignal): Promise<AttemptResult> {
    if (!server.ok) return reject("setup", `-smtp-url ${server.error}`);
    if (server.value === undefined) return reject("setup", "mail cannot be sent: -smtp-url is not set");
    const reused = takeIdle();
    if (reused !== undefined) {
      const result = await sendOver(reused, [envelope, mail], signal);
      // The server may have closed the idle connection. This mail did not fail then: a new connection is tried.
      const isOfSession = result.kind === "retry" && (result.reason === "connect" || result.reason === "rate_limited");
      const wasClosed = isOfSession && !mayHaveArrived(result);
      if (!wasClosed || signal.aborted) return result;
    }
    const password = settings.smtpPassword?.reveal();
    const session = await openSmtpSession({ clock, resolver, server: server.value, password, authorities }, signal);
    if ("kind" in session) return signal.aborted ? timedOut : session;
    return sendOver({ session, used: 0 }, [envelope, mail], signal);
  }

  return {
    deliver,
    async close() {
      closed = true;
      for (const { session, cancel } of idle.splice(0)) {
        cancel();
        session.quit();
      }
    },
  };
}

async function sendMail(session: SmtpSession, mail: Mail, signal: AbortSignal): Promise<AttemptResult> {
  const abort = (): void => session.destroy();
  signal.addEventListener("abort", abort, { once: true });
  const result = await session.send(...mail);
  signal.removeEventListener("abort", abort);
  return signal.aborted && result.kind === "retry" ? timedOut : result;
}
