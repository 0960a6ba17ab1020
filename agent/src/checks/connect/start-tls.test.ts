import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { createSecureContext, setDefaultCACertificates, TLSSocket } from "node:tls";
import type { StartTls } from "@realmwatch/shared/config/start-tls";
import { SMTPServer } from "smtp-server";
import { checkEnvironment, openTestDependencies, servicePlan } from "../plan.fixture.ts";
import { type CheckRun, runCheck } from "../run-check.ts";
import { makeServerCertificate } from "./certificates.fixture.ts";

const pair = makeServerCertificate(30);
setDefaultCACertificates([pair.cert]);
const secureContext = createSecureContext(pair);
const dependencies = openTestDependencies();
const servers: { close(): unknown }[] = [];
after(async () => {
  for (const server of servers) server.close();
  await dependencies.close();
});

const check = (startTls: StartTls, port: number, timeoutMs = 10_000): Promise<CheckRun> => {
  const spec = { type: "tls", host: "localhost", port, startTls, warnWithinMs: 0, critWithinMs: 0 } as const;
  return runCheck(servicePlan(spec, timeoutMs), checkEnvironment(), dependencies);
};

/** Server dialog: a greeting (may be empty), then a reply to each expected text. TLS begins after the last reply. */
type Script = { readonly greeting: string; readonly replies: readonly (readonly [expected: string, reply: string])[] };

function play(socket: Socket, { greeting, replies }: Script): void {
  const left = [...replies];
  let received = "";
  socket.on("error", () => {});
  socket.on("data", function take(chunk: Buffer) {
    received += chunk.toString("latin1");
    const [expected, reply] = left[0] ?? ["", ""];
    if (received !== expected) return;
    received = "";
    left.shift();
    if (left.length === 0) {
      socket.off("data", take);
      new TLSSocket(socket, { isServer: true, secureContext }).on("error", () => {});
    }
    // One byte at a time, to test fragmented replies.
    for (const byte of Buffer.from(reply, "latin1")) socket.write(Buffer.from([byte]));
  });
  if (greeting !== "") socket.write(greeting);
}

async function serve(script: Script): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => play(socket, script)).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const ehlo = "EHLO [127.0.0.1]\r\n";
const sslRequest = "\0\0\0\x08\x04\xd2\x16\x2f";
const startTlsRequest = "0\x1d\x02\x01\x01w\x18\x80\x161.3.6.1.4.1.1466.20037";
/** Text that no client sends, so that TLS never begins. */
const never = "never";
const ldapAnswer = (code: number): string =>
  Buffer.from([0x30, 0x0c, 2, 1, 1, 0x78, 7, 0x0a, 1, code, 4, 0, 4, 0]).toString("latin1");

for (const [protocol, script] of [
  ["ftp", { greeting: "220-hello\r\n there\r\n220 ready\r\n", replies: [["AUTH TLS\r\n", "234 go\r\n"]] }],
  ["imap", { greeting: "* OK hello\r\n", replies: [["a STARTTLS\r\n", "* NOTE x\r\na OK go\r\n"]] }],
  ["pop3", { greeting: "+OK hello\r\n", replies: [["STLS\r\n", "+OK go\r\n"]] }],
  ["postgres", { greeting: "", replies: [[sslRequest, "S"]] }],
  ["ldap", { greeting: "", replies: [[startTlsRequest, ldapAnswer(0)]] }],
  [
    "smtp",
    {
      greeting: "220-a\r\n220 b\r\n",
      replies: [
        [ehlo, "250-c\r\n250 STARTTLS\r\n"],
        ["STARTTLS\r\n", "220 go\r\n"],
      ],
    },
  ],
] as [StartTls, Script][])
  test(`[NC6] tls by ${protocol} is ok`, async () => {
    const run = await check(protocol, await serve(script));
    assert.equal(run.status, "ok", run.output);
  });

test("[NC6] tls by SMTP with a real server", async () => {
  const smtp = new SMTPServer({ ...pair, authOptional: true });
  servers.push(smtp);
  const server = smtp.listen(0, "127.0.0.1");
  await once(server, "listening");
  const run = await check("smtp", (server.address() as AddressInfo).port);
  assert.equal(run.status, "ok", run.output);
});

for (const [what, protocol, script, output] of [
  ["another greeting", "smtp", { greeting: "554 go away\r\n", replies: [] }, /: greets with "554 go away"$/],
  [
    "no greeting of the protocol",
    "imap",
    { greeting: "x".repeat(20_000), replies: [] },
    /: no greeting of this protocol$/,
  ],
  [
    "a refusal",
    "smtp",
    {
      greeting: "220 a\r\n",
      replies: [
        [ehlo, "250 b\r\n"],
        ["STARTTLS\r\n", "454 \x1b[31mlater\r\n"],
        [never, ""],
      ],
    },
    /: answers STARTTLS with "454 \[31mlater"$/,
  ],
  [
    "an IMAP refusal",
    "imap",
    {
      greeting: "* OK x\r\n",
      replies: [
        ["a STARTTLS\r\n", "a NO x\r\n"],
        [never, ""],
      ],
    },
    /: answers STARTTLS with "a NO x"$/,
  ],
  [
    "a PostgreSQL refusal",
    "postgres",
    {
      greeting: "",
      replies: [
        [sslRequest, "N"],
        [never, ""],
      ],
    },
    /: offers no TLS$/,
  ],
  ["another protocol", "postgres", { greeting: "HTTP/1.1 400\r\n\r\n", replies: [] }, /as PostgreSQL does$/],
  [
    "an LDAP refusal",
    "ldap",
    {
      greeting: "",
      replies: [
        [startTlsRequest, ldapAnswer(2)],
        [never, ""],
      ],
    },
    /: refuses StartTLS with LDAP code 2$/,
  ],
  ["another protocol", "ldap", { greeting: "\x30\x03abc", replies: [] }, /: does not answer StartTLS in LDAP$/],
] as [string, StartTls, Script, RegExp][])
  test(`[NC6] tls by ${protocol} with ${what} is critical`, async () => {
    const port = await serve(script);
    const run = await check(protocol, port);
    assert.deepEqual([run.status, output.test(run.output)], ["critical", true], run.output);
    assert.ok(run.output.startsWith(`${protocol} at localhost:${port}: `), run.output);
  });

test("[NC6] tls by SMTP with a silent server is critical at its timeout", async () => {
  const run = await check("smtp", await serve({ greeting: "", replies: [] }), 200);
  assert.deepEqual([run.status, run.output], ["critical", "tls check timed out after 200ms"]);
});
