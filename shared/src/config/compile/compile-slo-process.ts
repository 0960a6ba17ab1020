import { type ProcessKey, refOf } from "../../model/object-key.ts";
import { blankMetadata } from "../../row/metadata-fields.ts";
import { hashText } from "../../text/hash.ts";
import type { ProcessPlan } from "../plan.ts";
import { type ProcessDefinition, processDefinitionText } from "./object-definition.ts";

/** Name of the process as which a service level objective with notifications is shown. */
export const sloProcessName = (slo: string): string => `slo:${slo}`;

/** Key of the process of an objective. */
export const sloProcessKey = (slo: string): ProcessKey => ({ kind: "process", name: sloProcessName(slo) });

const noFlapping = { enabled: false, alpha: 0.1, highThreshold: 0.3, lowThreshold: 0.15, notifyOnFlapStop: false };

/**
 * [SL12] Process of an objective with notifications. Its rule reads no object: the agent submits its results. No selector of the
 * document matches it, because it is compiled after everything that a selector can match.
 */
export function compileSloProcess(
  slo: string,
  { policy, notificationPeriod }: { readonly policy: string; readonly notificationPeriod: string },
): ProcessPlan {
  const key = sloProcessKey(slo);
  const about = { ...blankMetadata, key, notificationPeriod };
  const own: ProcessDefinition = {
    ...{ ref: refOf(key), key, about, vars: {}, policy, flap: noFlapping },
    ...{ rule: { kind: "worst", of: [] }, inputs: [], states: "hard" },
    ...{ ignoreDowntime: false, ignoreAcknowledged: false },
    description: `Error budget of the service level objective ${JSON.stringify(slo)}`,
  };
  return { ...own, digest: hashText(processDefinitionText(own)) };
}
