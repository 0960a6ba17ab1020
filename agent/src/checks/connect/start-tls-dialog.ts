import type { Socket } from "node:net";

/** Maximum bytes of a reply. */
const maxBytes = 16_384;

/** Plaintext dialog before TLS. */
export interface StartTlsDialog {
  send(bytes: string | Buffer): void;
  /**
   * Resolves to the received bytes once `isComplete` accepts them; undefined when the connection ends, the reply is too
   * long or `signal` aborts. The server must not send more than the reply.
   */
  receive(isComplete: (received: Buffer) => boolean): Promise<Buffer | undefined>;
}

export function openStartTlsDialog(socket: Socket, signal: AbortSignal): StartTlsDialog {
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
