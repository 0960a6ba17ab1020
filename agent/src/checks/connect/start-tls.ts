import type { Socket } from "node:net";
import type { StartTls } from "@realmwatch/shared/config/start-tls";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { openStartTlsDialog, type StartTlsDialog } from "./start-tls-dialog.ts";

/** Asks for TLS and hears a yes, or says what was wrong. */
type Ask = (talk: StartTlsDialog, socket: Socket) => Promise<string | undefined>;

/** Has a server turn to TLS in its own protocol; after that the handshake begins. The error is a sentence. */
export async function startTls(socket: Socket, protocol: StartTls, signal: AbortSignal): Promise<Result<void, string>> {
  const wrong = await asks[protocol](openStartTlsDialog(socket, signal), socket);
  return wrong === undefined ? ok(undefined) : fail(wrong);
}

/** A reply of SMTP and FTP: lines of a code, the last one without a hyphen after it. */
const codeReply = /^(?:\d{3}-[^\n]*\n|[^\d\n][^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n$/;
const popReply = /^[+-][^\n]*\n$/;

/** The steps of a protocol of lines: what to say (nothing to the greeting), the form of a whole reply, and a good one. */
function inLines(
  steps: readonly (readonly [say: string | ((socket: Socket) => string), whole: RegExp, good: RegExp])[],
): Ask {
  return async (talk, socket) => {
    for (const [say, whole, good] of steps) {
      const line = typeof say === "string" ? say : say(socket);
      if (line !== "") talk.send(`${line}\r\n`);
      const reply = (await talk.receive((heard) => whole.test(heard.toString("latin1"))))?.toString("latin1");
      if (reply === undefined) return line === "" ? "no greeting of this protocol" : `no answer to ${verbOf(line)}`;
      if (!good.test(reply)) return `${line === "" ? "greets with" : `answers ${verbOf(line)} with`} ${quote(reply)}`;
    }
    return undefined;
  };
}

const verbOf = (line: string): string => line.replace(/^a /, "").split(" [")[0] as string;

/** The last line, printable and short. */
const quote = (reply: string): string =>
  JSON.stringify((reply.trim().split("\n").at(-1) as string).replace(/[^\x20-\x7e]/g, "").slice(0, 100));

/** A name that needs no look-up: our own address, as SMTP writes it. */
const hello = ({ localAddress = "127.0.0.1" }: Socket): string =>
  `EHLO [${localAddress.includes(":") ? "IPv6:" : ""}${localAddress.replace(/%.*/, "")}]`;

/** RFC 4511, section 4.14: an extended request with the name 1.3.6.1.4.1.1466.20037, message 1. */
const ldapRequest = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from("1.3.6.1.4.1.1466.20037"),
]);

async function askLdap(talk: StartTlsDialog): Promise<string | undefined> {
  talk.send(ldapRequest);
  const reply = await talk.receive((heard) => heard.length >= 2 && heard.length >= berEnd(heard, 0));
  if (reply === undefined) return "no answer to StartTLS";
  // LDAPMessage, its number, an extended response, whose first element is the result code.
  const number = berStart(reply, 0);
  const response = berEnd(reply, number);
  const code = berStart(reply, response);
  if (reply[0] !== 0x30 || reply[response] !== 0x78 || reply[code] !== 0x0a) return "answers StartTLS in no LDAP";
  const result = reply[berStart(reply, code)];
  return result === 0 ? undefined : `refuses StartTLS with LDAP code ${result}`;
}

/** Where the content of the BER element at `at` begins. */
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

/** SSLRequest: its length and its code. One letter answers. */
const postgresRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

async function askPostgres(talk: StartTlsDialog): Promise<string | undefined> {
  talk.send(postgresRequest);
  const answer = (await talk.receive((heard) => heard.length >= 1))?.toString("latin1");
  if (answer === undefined) return "no answer to SSLRequest";
  return answer === "S" ? undefined : answer === "N" ? "offers no TLS" : "answers SSLRequest in no PostgreSQL";
}

const asks = {
  ftp: inLines([
    ["", codeReply, /^2/],
    ["AUTH TLS", codeReply, /^234/],
  ]),
  imap: inLines([
    ["", /^\* [^\n]*\n$/, /^\* (?:OK|PREAUTH)/i],
    ["a STARTTLS", /^(?:\* [^\n]*\n)*a [^\n]*\n$/, /^a OK/im],
  ]),
  ldap: askLdap,
  pop3: inLines([
    ["", popReply, /^\+OK/],
    ["STLS", popReply, /^\+OK/],
  ]),
  postgres: askPostgres,
  smtp: inLines([
    ["", codeReply, /^2/],
    [hello, codeReply, /^2/],
    ["STARTTLS", codeReply, /^2/],
  ]),
} satisfies Record<StartTls, Ask>;
