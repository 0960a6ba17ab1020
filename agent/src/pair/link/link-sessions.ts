import { randomBytes } from "node:crypto";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { openFrame, sealFrame } from "../../platform/link/sealed-frame.ts";

/** Request over the link. `session`: empty in the first one, which asks for a session. */
type SessionRequest = {
  readonly session: string;
  readonly number: number;
  readonly nonce: string;
  readonly body: unknown;
};
/** Answer over the link. `known`: false when the session is unknown, as after a restart; nothing was done then. */
type SessionAnswer = { readonly session: string; readonly known: boolean; readonly body: unknown };

/** Maximum number of sessions; the oldest one is forgotten. Each start of the other member takes one. */
const maxSessions = 8;
/** Number of requests that may arrive out of order. */
const window = 1_024;

type Session = { newest: number; readonly seen: Set<number> };

/** Serving end of the link: opens requests, refuses repeated ones, and seals the answers. */
export class LinkSessions {
  readonly #secret: Uint8Array;
  readonly #sessions = new Map<string, Session>();

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /**
   * Answers a frame. Fails with a sentence when the sender does not prove that it has the secret, or repeats a request.
   *
   * @param serve handles the body of a request; `session` is the id of the caller's session
   */
  async answer(
    frame: Uint8Array,
    serve: (body: unknown, session: string) => Promise<unknown>,
  ): Promise<Result<Uint8Array, string>> {
    const opened = openFrame(this.#secret, frame);
    if (!opened.ok) return opened;
    const { session, number, body } = opened.value.value as SessionRequest;
    const seal = (answer: SessionAnswer): Result<Uint8Array, string> =>
      ok(sealFrame(this.#secret, answer, opened.value.proof));
    if (session === "") return seal({ session: this.#begin(), known: true, body: undefined });
    const known = this.#sessions.get(session);
    if (known === undefined) return seal({ session, known: false, body: undefined });
    if (!take(known, number)) return fail("the request was sent before");
    return seal({ session, known: true, body: await serve(body, session) });
  }

  #begin(): string {
    const id = randomBytes(16).toString("hex");
    this.#sessions.set(id, { newest: 0, seen: new Set() });
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= maxSessions) break;
      this.#sessions.delete(oldest);
    }
    return id;
  }
}

/** Takes the number of a request; false when it came before, or so long ago that this is unknown. */
function take(session: Session, number: number): boolean {
  if (number <= session.newest - window || session.seen.has(number)) return false;
  session.seen.add(number);
  session.newest = Math.max(session.newest, number);
  for (const old of session.seen) if (old <= session.newest - window) session.seen.delete(old);
  return true;
}

/** Sends a frame to the other member and resolves with its answer; rejects when it cannot be reached. */
export type SendFrame = (frame: Uint8Array, timeoutMs: number, signal?: AbortSignal) => Promise<Uint8Array>;

/** Failure of a call whose body the other member certainly did not handle. */
export class UnhandledCallError extends Error {}

/** Calling end of the link. */
export class LinkCaller {
  readonly #secret: Uint8Array;
  readonly #send: SendFrame;
  #session = "";
  #number = 0;

  constructor(secret: Uint8Array, send: SendFrame) {
    this.#secret = secret;
    this.#send = send;
  }

  /**
   * Calls the other member; begins a session first where there is none. Rejects with a sentence when it cannot be
   * reached or does not prove that it has the secret: with an `UnhandledCallError` when it did not handle the body.
   */
  async call(
    body: unknown,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<{ readonly body: unknown; readonly session: string }> {
    if (this.#session === "") this.#session = await this.#begin(timeoutMs, signal);
    const session = this.#session;
    const answer = await this.#exchange(session, body, timeoutMs, signal);
    if (answer.known) return { body: answer.body, session };
    if (this.#session === session) this.#session = "";
    throw new UnhandledCallError("the other member has started again");
  }

  async #begin(timeoutMs: number, signal?: AbortSignal): Promise<string> {
    try {
      return (await this.#exchange("", undefined, timeoutMs, signal)).session;
    } catch (error) {
      throw new UnhandledCallError(errorText(error));
    }
  }

  /** Begins a new session with the next call. */
  endSession(): void {
    this.#session = "";
  }

  async #exchange(session: string, body: unknown, timeoutMs: number, signal?: AbortSignal): Promise<SessionAnswer> {
    this.#number += 1;
    const request: SessionRequest = { session, number: this.#number, nonce: randomBytes(16).toString("hex"), body };
    const frame = sealFrame(this.#secret, request);
    const opened = openFrame(this.#secret, await this.#send(frame, timeoutMs, signal), frame.subarray(0, 32));
    if (!opened.ok) throw new Error(opened.error);
    return opened.value.value as SessionAnswer;
  }
}
