import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { CommandAnswer } from "../journal/command-answer.ts";
import type { CallOutcome, EngineFunctions } from "../port/port-contract.ts";
import { pairFunctions } from "../port-host/engine-functions.ts";
import type { PairControl } from "./pair-control.ts";

const forwardedNames = [
  "executeCommand",
  "validateConfig",
  "applyConfig",
  "servedDocument",
  "checkCommand",
  "submitAlerts",
  "recordAudit",
  "recordedMetrics",
  "recordedPoints",
] as const satisfies readonly (keyof EngineFunctions)[];

/** Name of a function of the active member's engine that a standby's port uses. */
export type ForwardedName = (typeof forwardedNames)[number];

export const isForwarded = (name: string): boolean => forwardedNames.some((forwarded) => forwarded === name);

/** Failure of a call to the active member. `wasSent`: it may have been executed. */
export class MemberCallError extends Error {
  readonly wasSent: boolean;

  constructor(message: string, wasSent: boolean) {
    super(message);
    this.wasSent = wasSent;
  }
}

type StandbyEngineOptions = Pick<
  EngineFunctions,
  "dependencies" | "renderMetrics" | "noteDamagedRecord" | "recordAudit"
> & {
  /** Calls a function of the active member's engine. Rejects with a `MemberCallError`. */
  forward(name: ForwardedName, args: readonly unknown[], timeoutMs: number): Promise<unknown>;
  control(): PairControl;
};

/** Time that the active member has for a call without a deadline of its own, ms. */
const forwardTimeoutMs = 5_000;

/** Functions of the engine of a member that is not active: it sends them on to the active one. */
export function standbyEngine(options: StandbyEngineOptions): EngineFunctions {
  const forward = <Name extends ForwardedName>(
    name: Name,
    args: Parameters<EngineFunctions[Name]>,
    timeoutMs = forwardTimeoutMs,
  ): Promise<Awaited<ReturnType<EngineFunctions[Name]>>> => options.forward(name, args, timeoutMs) as never;
  return {
    executeCommand: (call) =>
      forward("executeCommand", [call], call.timeoutMs).catch((error: unknown) => refusedOutcome(refusalOf(error))),
    applyConfig: (call) => forward("applyConfig", [call], call.timeoutMs).catch(refused),
    validateConfig: (...args) => forward("validateConfig", args).catch(refused),
    submitAlerts: (...args) => forward("submitAlerts", args).catch(refused),
    checkCommand: async (key) => forward("checkCommand", [key]).catch(refused),
    servedDocument: () => forward("servedDocument", []).catch(refused),
    recordAudit: options.recordAudit,
    recordedMetrics: ((...args) =>
      forward("recordedMetrics", args).catch(refused)) as EngineFunctions["recordedMetrics"],
    recordedPoints: ((...args) => forward("recordedPoints", args).catch(refused)) as EngineFunctions["recordedPoints"],
    noteDamagedRecord: options.noteDamagedRecord,
    renderMetrics: options.renderMetrics,
    dependencies: options.dependencies,
    ...pairFunctions(options.control),
  };
}

const refusedOutcome = (refusal: Refusal): CallOutcome<CommandAnswer> => ({
  kind: "answered",
  answer: { kind: "refused", refusal },
  isRepeated: false,
  isAudited: false,
});

const refused = (error: unknown): Result<never, Refusal> => fail(refusalOf(error));

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof MemberCallError)) return { kind: "failed" };
  return { kind: error.wasSent ? "unanswered" : "unavailable", what: error.message };
}
