import { hostname } from "node:os";
import { Readable } from "node:stream";
import type { Clock } from "@realmwatch/shared/model/clock";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { NameResolver } from "../../platform/dns/name-resolver.ts";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import { dial } from "../../platform/network/dial.ts";
import { NameNotResolved } from "../../platform/network/name-lookup.ts";
import { classifyConnectionFailure } from "../../platform/outbound/connection-failure.ts";
import { type AttemptResult, delivered, reject, retry } from "../../platform/outbound/delivery-result.ts";
import { contactLastingFailures } from "../http/json-http-client.ts";
import { classifySmtpError, readSmtpError } from "./smtp-error.ts";
import { isLoopback, type SmtpServer } from "./smtp-url.ts";

/** Timeouts of the library, ms: longer than the deadlines, which the caller sets. */
const libraryTimeoutMs = 60_000;

export type SmtpEnvelope = { readonly from: string; readonly to: readonly string[] };

type SmtpSessionOptions = {
  readonly clock: Clock;
  readonly resolver: NameResolver;
  readonly server: SmtpServer;
  readonly password: string | undefined;
  readonly authorities: readonly string[] | undefined;
};

/** Authenticated connection to the mail server. */
export type SmtpSession = ReturnType<typeof sessionOf>;

/** Loads the SMTP client. */
export const loadSmtpConnection = () => import("nodemailer/lib/smtp-connection");

/** Connects, starts TLS and authenticates. Never rejects. */
export async function openSmtpSession(
  options: SmtpSessionOptions,
  signal: AbortSignal,
): Promise<SmtpSession | AttemptResult> {
  const { clock, resolver, server } = options;
  const { default: Connection } = await loadSmtpConnection();
  const resolved = await resolver.resolve(server.host, signal);
  if (!resolved.ok) return classifyConnectionFailure(new NameNotResolved(resolved.error), contactLastingFailures);
  const dialled = await dial({ addresses: resolved.value, port: server.port }, clock, signal);
  if (!dialled.ok)
    return notSent(retry("connect", `cannot connect to the mail server: ${describeErrorCode(dialled.error)}`));
  const connection = new Connection({
    host: server.host,
    port: server.port,
    connection: dialled.value,
    secure: server.tls === "implicit",
    requireTLS: server.tls === "required",
    ignoreTLS: server.tls === "off",
    name: hostname(),
    greetingTimeout: libraryTimeoutMs,
    socketTimeout: libraryTimeoutMs,
    socketCloseTimeout: 0,
    maxResponseSize: 65_536,
    logger: false,
    tls: { rejectUnauthorized: true, ...(options.authorities === undefined ? {} : { ca: [...options.authorities] }) },
  });
  const abort = (): void => connection.close();
  signal.addEventListener("abort", abort, { once: true });
  const failed = (await connect(connection)) ?? (await authenticate(connection, options));
  signal.removeEventListener("abort", abort);
  if (failed === undefined) return sessionOf(connection);
  connection.close();
  return notSent(failed);
}

/** Runs one SMTP command; resolves with its error. The library reports some failures as events only. */
function runCommand(connection: SMTPConnection, run: (done: (error?: Error | null) => void) => void): Promise<unknown> {
  return new Promise((resolve) => {
    const done = (error?: unknown): void => {
      connection.removeListener("error", done);
      connection.removeListener("end", ended);
      // Without a listener a late error event would end the process.
      if (error !== undefined && error !== null) connection.on("error", () => {});
      resolve(error ?? undefined);
    };
    const ended = (): void => done(Object.assign(new Error("closed"), { code: "ECONNECTION" }));
    connection.on("error", done);
    connection.on("end", ended);
    run(done);
  });
}

/** Failure before the content of the mail was sent. */
const notSent = (result: AttemptResult): AttemptResult =>
  result.kind === "retry" ? { ...result, mayHaveArrived: false } : result;

async function connect(connection: SMTPConnection): Promise<AttemptResult | undefined> {
  const error = await runCommand(connection, (done) => connection.connect(done));
  return error === undefined ? undefined : classifySmtpError(error, []);
}

async function authenticate(
  connection: SMTPConnection,
  { server, password }: SmtpSessionOptions,
): Promise<AttemptResult | undefined> {
  if (server.user === "") return undefined;
  if (password === undefined) return reject("setup", "-smtp-url names a user, and -smtp-password is not set");
  if (!connection.secure && !isLoopback(server.host))
    return retry("tls", "the mail server offers no TLS, and the password is not sent without it");
  const auth = { credentials: { user: server.user, pass: password } };
  const error = await runCommand(connection, (done) => connection.login(auth, done));
  if (error === undefined) return undefined;
  const { responseCode } = readSmtpError(error);
  return responseCode >= 500
    ? reject("setup", `the mail server refused the user of -smtp-url or -smtp-password (${responseCode})`)
    : classifySmtpError(error, [password]);
}

function sessionOf(connection: SMTPConnection) {
  let usable = true;
  const markUnusable = (): void => {
    usable = false;
  };
  connection.on("error", markUnusable);
  connection.on("end", markUnusable);

  async function send(envelope: SmtpEnvelope, mail: Buffer): Promise<AttemptResult> {
    let refused = 0;
    let isContentSent = false;
    const content = new Readable({
      // The library reads the content once the server has accepted sender and recipients.
      read() {
        isContentSent = true;
        this.push(mail);
        this.push(null);
      },
    });
    const error = await runCommand(connection, (done) =>
      connection.send({ from: envelope.from, to: [...envelope.to] }, content, (sendError, info) => {
        refused = info?.rejected.length ?? 0;
        done(sendError);
      }),
    );
    if (error === undefined && refused === 0) return delivered;
    usable = false;
    if (error !== undefined)
      return isContentSent ? classifySmtpError(error, []) : notSent(classifySmtpError(error, []));
    return reject(
      "refused",
      `the mail server refused ${refused} of ${envelope.to.length} addresses; the others have it`,
    );
  }

  return {
    send,
    /** True while the session can send another mail. */
    usable: () => usable && !connection.destroyed,
    /** Ends the session with QUIT. */
    quit: (): void => (usable ? connection.quit() : connection.close()),
    /** Closes the connection at once; a running `send` fails. */
    destroy: (): void => connection.close(),
  };
}
