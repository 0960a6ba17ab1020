import { hostname } from "node:os";
import type { Clock } from "@realmwatch/shared/model/clock";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { NameResolver } from "../../platform/dns/name-resolver.ts";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import { dial } from "../../platform/network/dial.ts";
import { type AttemptResult, delivered, reject, retry } from "../attempt-result.ts";
import { classifyConnectionFailure } from "../connect/connection-failure.ts";
import { NameNotResolved } from "../connect/name-lookup.ts";
import { classifySmtpError, readSmtpError } from "./smtp-error.ts";
import { isLoopback, type SmtpServer } from "./smtp-url.ts";

/** Deadlines are the caller's; these only keep the library's own minutes from mattering, ms. */
const patienceMs = 60_000;

export type SmtpEnvelope = { readonly from: string; readonly to: readonly string[] };

export type SmtpSessionOptions = {
  readonly clock: Clock;
  readonly resolver: NameResolver;
  readonly server: SmtpServer;
  readonly password: string | undefined;
  readonly authorities: readonly string[] | undefined;
};

/** A conversation with the mail server, ready to take mail. */
export type SmtpSession = {
  send(envelope: SmtpEnvelope, mail: Buffer): Promise<AttemptResult>;
  /** Whether it still can take another mail. */
  usable(): boolean;
  /** Ends it politely. */
  quit(): void;
  /** Breaks it off. What is under way fails. */
  destroy(): void;
};

/** Connects, turns to TLS and signs in. Never rejects. */
export async function openSmtpSession(options: SmtpSessionOptions, signal: AbortSignal): Promise<SmtpSession | AttemptResult> {
  const { clock, resolver, server } = options;
  const resolved = await resolver.resolve(server.host, signal);
  if (!resolved.ok) return classifyConnectionFailure(new NameNotResolved(resolved.error));
  const dialled = await dial({ addresses: resolved.value, port: server.port }, clock, signal);
  if (!dialled.ok) return retry("connect", `cannot connect to the mail server: ${describeErrorCode(dialled.error)}`);
  const connection = new SMTPConnection({
    host: server.host,
    port: server.port,
    connection: dialled.value,
    secure: server.tls === "implicit",
    requireTLS: server.tls === "required",
    ignoreTLS: server.tls === "off",
    name: hostname(),
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    socketCloseTimeout: 0,
    maxResponseSize: 65_536,
    logger: false,
    tls: { rejectUnauthorized: true, ...(options.authorities === undefined ? {} : { ca: [...options.authorities] }) },
  });
  const abort = (): void => connection.close();
  signal.addEventListener("abort", abort, { once: true });
  const failed = (await greet(connection)) ?? (await signIn(connection, options));
  signal.removeEventListener("abort", abort);
  if (failed === undefined) return sessionOf(connection);
  connection.close();
  return failed;
}

/** Runs one step of the conversation. The connection tells some failures only as an event. */
function step(connection: SMTPConnection, run: (done: (error?: Error | null) => void) => void): Promise<unknown> {
  return new Promise((resolve) => {
    const done = (error?: unknown): void => {
      connection.removeListener("error", done);
      connection.removeListener("end", ended);
      // Late errors have nobody to go to.
      if (error !== undefined && error !== null) connection.on("error", () => {});
      resolve(error ?? undefined);
    };
    const ended = (): void => done(Object.assign(new Error("closed"), { code: "ECONNECTION" }));
    connection.on("error", done);
    connection.on("end", ended);
    run(done);
  });
}

async function greet(connection: SMTPConnection): Promise<AttemptResult | undefined> {
  const error = await step(connection, (done) => connection.connect(done));
  return error === undefined ? undefined : classifySmtpError(error, []);
}

async function signIn(connection: SMTPConnection, { server, password }: SmtpSessionOptions): Promise<AttemptResult | undefined> {
  if (server.user === "") return undefined;
  if (password === undefined) return reject("setup", "-smtp-url names a user, and -smtp-password is not set");
  if (!connection.secure && !isLoopback(server.host))
    return retry("tls", "the mail server offers no TLS, and the password is not sent without it");
  const auth = { credentials: { user: server.user, pass: password } };
  const error = await step(connection, (done) => connection.login(auth, done));
  if (error === undefined) return undefined;
  const { responseCode } = readSmtpError(error);
  return responseCode >= 500
    ? reject("setup", `the mail server refused the user of -smtp-url or -smtp-password (${responseCode})`)
    : classifySmtpError(error, [password]);
}

function sessionOf(connection: SMTPConnection): SmtpSession {
  let usable = true;
  const spoil = (): void => {
    usable = false;
  };
  connection.on("error", spoil);
  connection.on("end", spoil);

  async function send(envelope: SmtpEnvelope, mail: Buffer): Promise<AttemptResult> {
    let refused = 0;
    const error = await step(connection, (done) =>
      connection.send({ from: envelope.from, to: [...envelope.to] }, mail, (sendError, info) => {
        refused = info?.rejected.length ?? 0;
        done(sendError);
      }),
    );
    if (error === undefined && refused === 0) return delivered;
    usable = false;
    if (error !== undefined) return classifySmtpError(error, []);
    return reject(
      "refused",
      `the mail server refused ${refused} of ${envelope.to.length} addresses; the others have it`,
    );
  }

  return {
    send,
    usable: () => usable && !connection.destroyed,
    quit: () => (usable ? connection.quit() : connection.close()),
    destroy: () => connection.close(),
  };
}
