import { connect } from "node:net";

type PostLoad = {
  /** Base URL: `http://127.0.0.1:PORT`. */
  readonly base: string;
  readonly path: string;
  readonly contentType: string;
  /** Returns the body of the n-th call, from 0 on. */
  readonly bodyOf: (n: number) => string | Uint8Array;
  /** Number of clients; each has a connection and waits for its response before the next call. */
  readonly clients: number;
  readonly count: number;
};

const endOfHead = "\r\n\r\n";

/**
 * Sends `count` calls as HTTP/1.1 over plain sockets: the clients run on the measured machine, and a client library would
 * take 70 µs for each call, five times as much.
 *
 * @returns duration of each call, ms, in the order of their ends. Rejects when a response is not 200.
 */
export async function postRepeatedly({ base, path, contentType, bodyOf, clients, count }: PostLoad): Promise<number[]> {
  const { hostname, port, host } = new URL(base);
  const fixed = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${contentType}\r\nconnect-protocol-version: 1\r\n`;
  const tookMs: number[] = [];
  let next = 0;
  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let startedMs = 0;
      let answer: Buffer = Buffer.alloc(0);
      const call = (): void => {
        if (next >= count) {
          socket.end();
          return resolve();
        }
        const body = Buffer.from(bodyOf(next++));
        startedMs = performance.now();
        socket.write(Buffer.concat([Buffer.from(`${fixed}content-length: ${body.length}${endOfHead}`), body]));
      };
      socket.on("connect", call);
      socket.on("error", reject);
      socket.on("close", () => reject(new Error(`${path}: the connection ended`)));
      socket.on("data", (chunk: Buffer) => {
        answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk]);
        const bodyAt = answer.indexOf(endOfHead) + endOfHead.length;
        if (bodyAt < endOfHead.length) return;
        const head = answer.toString("latin1", 0, bodyAt);
        if (answer.length < bodyAt + Number(/^content-length: (\d+)/im.exec(head)?.[1])) return;
        if (!head.startsWith("HTTP/1.1 200 ")) return reject(new Error(`${path}: ${answer.toString()}`));
        tookMs.push(performance.now() - startedMs);
        answer = Buffer.alloc(0);
        call();
      });
    });
  await Promise.all(Array.from({ length: clients }, client));
  return tookMs;
}
