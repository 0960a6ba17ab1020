import type { Readable } from "node:stream";

/** Maximum size of an answer, bytes. */
export const maxAnswerBytes = 64 * 2 ** 20;

/** The end of a sentence that begins with the server, for an answer beyond the maximum. */
export const answerTooLarge = `sent an answer of more than ${maxAnswerBytes / 2 ** 20} MiB`;

/** Text of an answer; undefined when it is larger than the maximum, where reading ends. Rejects as the stream does. */
export async function readAnswerText(stream: Readable): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxAnswerBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}
