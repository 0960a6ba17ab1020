import { createHmac, timingSafeEqual } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** Error of a frame without a valid proof. */
export const otherSecret = "the other member has another secret in its -pair-secret-file";

/** Length of the proof at the beginning of a frame, bytes. */
const proofBytes = 32;

/** Frame with its proof, which an answer is bound to. */
type OpenedFrame = { readonly value: unknown; readonly proof: Uint8Array };

/**
 * Seals a value, which is plain data: its structured form after the proof that the sender has the pair's secret. The
 * secret itself is never sent.
 *
 * @param about proof of the request that a frame answers; empty for a request
 */
export function sealFrame(secret: Uint8Array, value: unknown, about: Uint8Array = new Uint8Array()): Uint8Array {
  const content = serialize(value);
  return Buffer.concat([proofOf(secret, content, about), content]);
}

/** True for a frame of a sender that has the secret. Costs a pass over the frame, so that it is asked for outside the engine. */
export function isProven(secret: Uint8Array, frame: Uint8Array, about: Uint8Array = new Uint8Array()): boolean {
  const proof = frame.subarray(0, proofBytes);
  return proof.length === proofBytes && timingSafeEqual(proof, proofOf(secret, frame.subarray(proofBytes), about));
}

/** Opens a sealed frame. Its content is parsed only after the proof; fails with a sentence without it. */
export function openFrame(
  secret: Uint8Array,
  frame: Uint8Array,
  about: Uint8Array = new Uint8Array(),
): Result<OpenedFrame, string> {
  if (!isProven(secret, frame, about)) return fail(otherSecret);
  return ok({ value: deserialize(frame.subarray(proofBytes)), proof: frame.subarray(0, proofBytes) });
}

const proofOf = (secret: Uint8Array, content: Uint8Array, about: Uint8Array): Buffer =>
  createHmac("sha256", secret)
    .update(about.length === 0 ? "realmwatch pair request" : "realmwatch pair answer")
    .update(about)
    .update(content)
    .digest();
