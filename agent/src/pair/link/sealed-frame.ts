import { createHmac, timingSafeEqual } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";

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

/** Opens a sealed frame. Its content is parsed only after the proof; fails with a sentence without it. */
export function openFrame(
  secret: Uint8Array,
  frame: Uint8Array,
  about: Uint8Array = new Uint8Array(),
): Result<OpenedFrame, string> {
  const proof = frame.subarray(0, proofBytes);
  const content = frame.subarray(proofBytes);
  const isProven = proof.length === proofBytes && timingSafeEqual(proof, proofOf(secret, content, about));
  if (!isProven) return fail(otherSecret);
  return ok({ value: deserialize(content), proof });
}

const proofOf = (secret: Uint8Array, content: Uint8Array, about: Uint8Array): Buffer =>
  createHmac("sha256", secret)
    .update(about.length === 0 ? "realmwatch pair request" : "realmwatch pair answer")
    .update(about)
    .update(content)
    .digest();
