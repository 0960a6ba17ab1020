import { fail, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { type ForwardedName, MemberCallError } from "../standby-engine.ts";
import type { LinkRequest } from "./follow-messages.ts";
import { type LinkCaller, UnhandledCallError } from "./link-sessions.ts";
import type { EngineAnswer, OwnEngine } from "./own-engine.ts";

/** Longest time that the active member has for what it is asked, ms. */
const askTimeoutMs = 5_000;

type PeerCallsOptions = {
  readonly caller: Pick<LinkCaller, "call">;
  readonly own: Pick<OwnEngine, "call">;
  /** Name of this member. */
  readonly member: string;
  /** Name of the active member; empty when none is known. */
  active(): string;
};

/** Calls to the active member, which may be this one by the time of the call. */
export class PeerCalls {
  readonly #options: PeerCallsOptions;

  constructor(options: PeerCallsOptions) {
    this.#options = options;
  }

  /** Calls the engine of the active member. Rejects with a `MemberCallError`. */
  async forward(name: ForwardedName, args: readonly unknown[], timeoutMs: number): Promise<unknown> {
    const { own, member } = this.#options;
    const active = this.#options.active();
    if (active === "") throw new MemberCallError("standby: no other member is known to be active", false);
    const isOwn = active === member;
    const state = isOwn ? `${member} is active, and its agent does not run` : `standby: the active is ${active}`;
    const call = { kind: "engine", name, args } as const;
    const { executed, result } = await (isOwn ? own.call(call, timeoutMs) : this.#callOther(call, timeoutMs, state));
    if (!executed) throw new MemberCallError(state, false);
    return result;
  }

  async #callOther(request: LinkRequest, timeoutMs: number, state: string): Promise<EngineAnswer> {
    const answer = await this.#options.caller.call(request, timeoutMs).catch((error: unknown) => {
      const wasSent = !(error instanceof UnhandledCallError);
      const what = wasSent ? "did not answer" : "cannot be reached";
      throw new MemberCallError(`${state}, which ${what} (${errorText(error)})`, wasSent);
    });
    return answer.body as EngineAnswer;
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
