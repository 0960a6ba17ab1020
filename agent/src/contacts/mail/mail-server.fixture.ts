import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { ServerKeyPair } from "../connect/certificate.fixture.ts";

type ReceivedMail = {
  readonly to: readonly string[];
  readonly from: string;
  readonly secure: boolean;
  readonly text: string;
};

/** Mail server for user alice with password `c4nary!pw`. Rejects addresses with a number with that reply code. */
export async function openMailServer(options: SMTPServerOptions & { tls?: ServerKeyPair } = {}) {
  const mails: ReceivedMail[] = [];
  let connections = 0;
  const { tls, ...more } = options;
  const server = new SMTPServer({
    authOptional: true,
    ...(tls === undefined ? { disabledCommands: ["STARTTLS"] } : tls),
    allowInsecureAuth: true,
    closeTimeout: 100,
    onConnect(_, done) {
      connections += 1;
      done();
    },
    onAuth: ({ username, password }, _, done) =>
      username === "alice" && password === "c4nary!pw" ? done(null, { user: username }) : done(new Error("bad login")),
    onRcptTo: ({ address }, _, done) => {
      const code = /^(\d+)@/.exec(address)?.[1];
      if (code === undefined) done();
      else done(Object.assign(new Error("user unknown"), { responseCode: Number(code) }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        const text = Buffer.concat(chunks).toString("utf8");
        mails.push({ from, to: rcptTo.map(({ address }) => address), secure: session.secure, text });
        done();
      });
    },
    ...more,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    connections: () => connections,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** Unfolded value of a header. */
export const mailHeader = ({ text }: ReceivedMail, name: string): string =>
  new RegExp(`^${name}: ([^]*?)\\r\\n(?![ \\t])`, "im").exec(text)?.[1]?.replace(/\r\n/g, "") ?? "";
