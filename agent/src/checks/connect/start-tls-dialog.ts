import type { Socket } from "node:net";

/** A server that greets at greater length than this is none that we know. Bytes. */
const maxBytes = 16_384;

/** A conversation in the clear before TLS. Every wait ends when the server hangs up, says too much, or `signal` aborts. */
export interface StartTlsDialog {
  send(bytes: string | Buffer): void;
  /** What has come, once `isWhole` says that it is all; undefined where it never is. Nothing may follow it. */
  receive(isWhole: (heard: Buffer) => boolean): Promise<Buffer | undefined>;
}

export function openStartTlsDialog(socket: Socket, signal: AbortSignal): StartTlsDialog {
  return {
    send: (bytes) => void socket.write(bytes),
    receive: (isWhole) =>
      new Promise((resolve) => {
        let heard: Buffer = Buffer.alloc(0);
        const settle = (answer: Buffer | undefined): void => {
          socket.off("data", take).off("close", giveUp).off("end", giveUp).off("error", giveUp);
          signal.removeEventListener("abort", giveUp);
          socket.pause();
          resolve(answer);
        };
        const giveUp = (): void => settle(undefined);
        const take = (chunk: Buffer): void => {
          heard = Buffer.concat([heard, chunk]);
          if (isWhole(heard)) settle(heard);
          else if (heard.length > maxBytes) giveUp();
        };
        if (signal.aborted || socket.destroyed) return resolve(undefined);
        signal.addEventListener("abort", giveUp, { once: true });
        socket.on("data", take).on("close", giveUp).on("end", giveUp).on("error", giveUp);
        socket.resume();
      }),
  };
}
