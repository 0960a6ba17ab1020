import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { ServerKeyPair } from "../connect/certificate.fixture.ts";

export type ReceivedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape that it looks into
  readonly body: any;
};

export type HttpReceiver = AsyncDisposable & {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
};

/** HTTP server on a free port. `respond` is called once the request is read; by default it responds with 200. */
export async function openHttpReceiver(
  respond: (response: ServerResponse, received: ReceivedRequest) => void = (response) => response.end("ok"),
  tls?: ServerKeyPair,
): Promise<HttpReceiver> {
  const received: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const one = { method, path, headers, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) };
      received.push(one);
      respond(response, one);
    });
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    received,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
