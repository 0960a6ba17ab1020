import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";

/** Receiver that refuses everything, with an answer that repeats what it was sent. */
type EchoReceiver = {
  readonly port: number;
  /** Everything that was received. */
  received(): string;
};

/** Starts an HTTP receiver that answers 400 with the path, the headers and the body of the request, in JSON. */
export async function startEchoHttp(scope: TestScope): Promise<EchoReceiver> {
  let received = "";
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const echo = `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body.slice(0, 2_000)}`;
    received += `${echo}\n`;
    const errors = [{ message: echo, detail: echo, title: echo }, echo];
    response.writeHead(400, { "content-type": "application/json", "x-echo": encodeURIComponent(echo).slice(0, 500) });
    response.end(JSON.stringify({ status: "error", error: echo, message: echo, description: echo, errors }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(scope, () => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received: () => received };
}

/** Starts a mail server that refuses every login, with an answer that repeats the login. */
export async function startEchoSmtp(scope: TestScope): Promise<EchoReceiver> {
  let received = "";
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.write("220 mail ESMTP\r\n");
    socket.on("data", (data) => {
      const line = data.toString("utf8").trim();
      const login = Buffer.from(line.split(" ").at(-1) ?? "", "base64").toString("utf8");
      received += `${line}\n${login}\n`;
      if (/^EHLO/i.test(line)) socket.write("250-mail\r\n250 AUTH PLAIN LOGIN\r\n");
      else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n");
      else socket.write(`535 5.7.8 refused: ${line} is ${login.replace(/[\r\n\0]/g, " ")}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(scope, () => void server.close());
  return { port: (server.address() as AddressInfo).port, received: () => received };
}
