import { fail, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { type ForwardedName, MemberCallError } from "../standby-engine.ts";
import type { LinkRequest } from "./follow-messages.ts";
import type { EngineAnswer } from "./follow-server.ts";
import { type LinkCaller, UnhandledCallError } from "./link-sessions.ts";

/** Longest time that the active member has for what it is asked, ms. */
const askTimeoutMs = 5_000;

type PeerCallsOptions = {
  readonly caller: Pick<LinkCaller, "call">;
  /** Name of this member. */
  readonly member: string;
  /** Name of the active member; empty when none is known. */
  active(): string;
};

/** Calls of a member that is not active to the one that is. */
export class PeerCalls {
  readonly #options: PeerCallsOptions;

  constructor(options: PeerCallsOptions) {
    this.#options = options;
  }

  /** Calls the engine of the active member. Rejects with a `MemberCallError`. */
  async forward(name: ForwardedName, args: readonly unknown[], timeoutMs: number): Promise<unknown> {
    const { caller, member } = this.#options;
    const active = this.#options.active();
    const isOther = active !== "" && active !== member;
    const state = isOther ? `standby: the active is ${active}` : "standby: no other member is known to be active";
    if (!isOther) throw new MemberCallError(state, false);
    const request: LinkRequest = { kind: "engine", name, args };
    const answer = await caller.call(request, timeoutMs).catch((error: unknown) => {
      const wasSent = !(error instanceof UnhandledCallError);
      const what = wasSent ? "did not answer" : "cannot be reached";
      throw new MemberCallError(`${state}, which ${what} (${errorText(error)})`, wasSent);
    });
    const { executed, result } = answer.body as EngineAnswer;
    if (!executed) throw new MemberCallError(state, false);
    return result;
  }

  /** Asks the active member for something that it answers with a `Result`. */
  async ask(request: LinkRequest): Promise<Result<unknown, string>> {
    try {
      return (await this.#options.caller.call(request, askTimeoutMs)).body as Result<unknown, string>;
    } catch (error) {
      return fail(`the active member cannot be asked: ${errorText(error)}`);
    }
  }
}
