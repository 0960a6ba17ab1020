import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { NameResolver } from "../../platform/dns/name-resolver.ts";
import { type AttemptResult, reject, retry } from "../attempt-result.ts";
import { trustedAuthorities } from "../connect/trusted-authorities.ts";
import type { DeliverySettings } from "../delivery-settings.ts";
import { type SmtpEnvelope, openSmtpSession, type SmtpSession } from "./smtp-session.ts";
import { parseSmtpUrl, type SmtpServer } from "./smtp-url.ts";

/** How long a session waits for another mail, ms, and how many it takes: servers dislike more of either. */
const idleMs = 5_000;
const mailsPerSession = 100;

/** Hands mails to the server of `-smtp-url`, several over one connection where they come together. */
export interface SmtpPool {
  /** Never rejects. */
  deliver(envelope: SmtpEnvelope, mail: Buffer, signal: AbortSignal): Promise<AttemptResult>;
  close(): Promise<void>;
}

type SmtpPoolOptions = {
  readonly clock: Clock;
  readonly resolver: NameResolver;
  readonly settings: DeliverySettings;
  readonly extraAuthorities?: string | undefined;
};

type Idle = { readonly session: SmtpSession; readonly used: number; cancel(): void };

export function openSmtpPool({ clock, resolver, settings, extraAuthorities }: SmtpPoolOptions): SmtpPool {
  const server: Result<SmtpServer | undefined, string> =
    settings.smtpUrl === undefined ? ok(undefined) : parseSmtpUrl(settings.smtpUrl);
  const authorities = trustedAuthorities(extraAuthorities);
  const idle: Idle[] = [];
  let closed = false;

  function rest(session: SmtpSession, used: number): void {
    if (closed || used >= mailsPerSession || !session.usable()) return session.quit();
    const entry: Idle = { session, used, cancel };
    const cancelTimer = clock.after(idleMs, () => {
      idle.splice(idle.indexOf(entry), 1);
      session.quit();
    });
    function cancel(): void {
      cancelTimer();
    }
    idle.push(entry);
  }

  function takeIdle(): Idle | undefined {
    for (let entry = idle.pop(); entry !== undefined; entry = idle.pop()) {
      entry.cancel();
      if (entry.session.usable()) return entry;
      entry.session.destroy();
    }
    return undefined;
  }

  async function sendOver(
    { session, used }: Pick<Idle, "session" | "used">,
    [envelope, mail]: readonly [SmtpEnvelope, Buffer],
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const abort = (): void => session.destroy();
    signal.addEventListener("abort", abort, { once: true });
    const attempt = await session.send(envelope, mail);
    signal.removeEventListener("abort", abort);
    rest(session, used + 1);
    return signal.aborted && attempt.kind === "retry"
      ? retry("timeout", "the mail server did not answer in time")
      : attempt;
  }

  async function deliver(envelope: SmtpEnvelope, mail: Buffer, signal: AbortSignal): Promise<AttemptResult> {
    if (!server.ok) return reject("setup", `-smtp-url ${server.error}`);
    if (server.value === undefined) return reject("setup", "mail cannot be sent: -smtp-url is not set");
    const kept = takeIdle();
    if (kept !== undefined) {
      const attempt = await sendOver(kept, [envelope, mail], signal);
      // The server may have hung up while nothing was said: that is no failure of this mail.
      const hungUp = attempt.kind === "retry" && (attempt.reason === "connect" || attempt.reason === "rate_limited");
      if (!hungUp || signal.aborted) return attempt;
    }
    const password = settings.smtpPassword?.reveal();
    const session = await openSmtpSession({ clock, resolver, server: server.value, password, authorities }, signal);
    if ("kind" in session) return signal.aborted ? retry("timeout", "the mail server did not answer in time") : session;
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
