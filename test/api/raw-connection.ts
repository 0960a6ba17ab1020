import { connect, type Socket } from "node:net";

export type RawConnection = {
  readonly socket: Socket;
  /** All bytes received so far, as Latin-1 text. */
  readonly received: () => string;
  readonly closed: Promise<void>;
};

/** Opens a TCP connection, for bytes that no HTTP client would send. */
export async function openRaw(port: number, host = "127.0.0.1", localAddress?: string): Promise<RawConnection> {
  const socket = connect({ port, host, ...(localAddress === undefined ? {} : { localAddress }) });
  socket.setNoDelay(true);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()).once("close", () => resolve()));
  return { socket, received: () => text, closed };
}

/** Sends bytes on a new connection and returns the bytes received until the server closes it. */
export async function exchangeRaw(port: number, bytes: string | Buffer): Promise<string> {
  const { socket, received, closed } = await openRaw(port);
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  await closed;
  return received();
}

/** Status lines of the responses in a received text. */
export const statusLines = (text: string): string[] => text.match(/HTTP\/1\.1 \d{3}/g) ?? [];
