import type { Socket } from "node:net";
import type { StartTls } from "@realmwatch/shared/config/start-tls";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** Maximum bytes of a reply. */
const maxBytes = 16_384;

/** Plaintext dialog before TLS. */
interface StartTlsDialog {
  send(bytes: string | Buffer): void;
  /**
   * Resolves to the received bytes once `isComplete` accepts them; undefined when the connection ends, the reply is too
   * long or `signal` aborts. The server must not send more than the reply.
   */
  receive(isComplete: (received: Buffer) => boolean): Promise<Buffer | undefined>;
}

function openStartTlsDialog(socket: Socket, signal: AbortSignal): StartTlsDialog {
  return {
    send: (bytes) => void socket.write(bytes),
    receive: (isComplete) =>
      new Promise((resolve) => {
        let received: Buffer = Buffer.alloc(0);
        const settle = (reply: Buffer | undefined): void => {
          socket.off("data", take).off("close", fail).off("end", fail).off("error", fail);
          signal.removeEventListener("abort", fail);
          socket.pause();
          resolve(reply);
        };
        const fail = (): void => settle(undefined);
        const take = (chunk: Buffer): void => {
          received = Buffer.concat([received, chunk]);
          if (isComplete(received)) settle(received);
          else if (received.length > maxBytes) fail();
        };
        if (signal.aborted || socket.destroyed) return resolve(undefined);
        signal.addEventListener("abort", fail, { once: true });
        socket.on("data", take).on("close", fail).on("end", fail).on("error", fail);
        socket.resume();
      }),
  };
}

/** Requests TLS in a protocol. Resolves to undefined on success, else to the reason. */
type RequestTls = (talk: StartTlsDialog, socket: Socket) => Promise<string | undefined>;

/** Switches a connection to TLS by the protocol's own command, before the handshake. The error is a phrase. */
export async function startTls(socket: Socket, protocol: StartTls, signal: AbortSignal): Promise<Result<void, string>> {
  const failure = await requests[protocol](openStartTlsDialog(socket, signal), socket);
  return failure === undefined ? ok(undefined) : fail(failure);
}

/** Complete reply of SMTP and FTP: lines with a code, which a hyphen follows in all but the last. */
const codeReply = /^(?:\d{3}-[^\n]*\n|[^\d\n][^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n$/;
const popReply = /^[+-][^\n]*\n$/;

/** Steps of a line-based protocol: the line to send (empty for the greeting), a complete reply, and an accepting one. */
function inLines(
  steps: readonly (readonly [send: string | ((socket: Socket) => string), complete: RegExp, accepting: RegExp])[],
): RequestTls {
  return async (dialog, socket) => {
    for (const [send, complete, accepting] of steps) {
      const line = typeof send === "string" ? send : send(socket);
      if (line !== "") dialog.send(`${line}\r\n`);
      const reply = (await dialog.receive((received) => complete.test(received.toString("latin1"))))?.toString(
        "latin1",
      );
      if (reply === undefined) return line === "" ? "no greeting of this protocol" : `no reply to ${verbOf(line)}`;
      if (!accepting.test(reply))
        return `${line === "" ? "greets with" : `answers ${verbOf(line)} with`} ${quote(reply)}`;
    }
    return undefined;
  };
}

const verbOf = (line: string): string => line.replace(/^a /, "").split(" [")[0] as string;

/** Last line of a reply, quoted, without unprintable characters and at most 100 characters. */
const quote = (reply: string): string =>
  JSON.stringify((reply.trim().split("\n").at(-1) as string).replace(/[^\x20-\x7e]/g, "").slice(0, 100));

/** SMTP greeting with this machine's address, which needs no name look-up. */
const hello = ({ localAddress = "127.0.0.1" }: Socket): string =>
  `EHLO [${localAddress.includes(":") ? "IPv6:" : ""}${localAddress.replace(/%.*/, "")}]`;

/** Extended request 1.3.6.1.4.1.1466.20037 as message 1 (RFC 4511, section 4.14). */
const ldapRequest = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from("1.3.6.1.4.1.1466.20037"),
]);

async function requestLdapTls(dialog: StartTlsDialog): Promise<string | undefined> {
  dialog.send(ldapRequest);
  const reply = await dialog.receive((received) => received.length >= 2 && received.length >= berEnd(received, 0));
  if (reply === undefined) return "no reply to StartTLS";
  // LDAPMessage with its number and an extended response, whose first element is the result code.
  const number = berStart(reply, 0);
  const response = berEnd(reply, number);
  const code = berStart(reply, response);
  if (reply[0] !== 0x30 || reply[response] !== 0x78 || reply[code] !== 0x0a) return "does not answer StartTLS in LDAP";
  const result = reply[berStart(reply, code)];
  return result === 0 ? undefined : `refuses StartTLS with LDAP code ${result}`;
}

/** Offset of the content of the BER element at `at`. */
const berStart = (bytes: Buffer, at: number): number => {
  const length = bytes[at + 1] ?? 0;
  return at + 2 + (length < 0x80 ? 0 : length & 0x7f);
};

function berEnd(bytes: Buffer, at: number): number {
  const length = bytes[at + 1] ?? 0;
  const start = berStart(bytes, at);
  if (length < 0x80) return start + length;
  return start + bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
}

/** SSLRequest: length and code. The server replies with one letter. */
const postgresRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

async function requestPostgresTls(dialog: StartTlsDialog): Promise<string | undefined> {
  dialog.send(postgresRequest);
  const answer = (await dialog.receive((received) => received.length >= 1))?.toString("latin1");
  if (answer === undefined) return "no reply to SSLRequest";
  return answer === "S"
    ? undefined
    : answer === "N"
      ? "offers no TLS"
      : "does not answer SSLRequest as PostgreSQL does";
}

const requests = {
  ftp: inLines([
    ["", codeReply, /^2/],
    ["AUTH TLS", codeReply, /^234/],
  ]),
  imap: inLines([
    ["", /^\* [^\n]*\n$/, /^\* (?:OK|PREAUTH)/i],
    ["a STARTTLS", /^(?:\* [^\n]*\n)*a [^\n]*\n$/, /^a OK/im],
  ]),
  ldap: requestLdapTls,
  pop3: inLines([
    ["", popReply, /^\+OK/],
    ["STLS", popReply, /^\+OK/],
  ]),
  postgres: requestPostgresTls,
  smtp: inLines([
    ["", codeReply, /^2/],
    [hello, codeReply, /^2/],
    ["STARTTLS", codeReply, /^2/],
  ]),
} satisfies Record<StartTls, RequestTls>;
