import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { ScenarioAction, ScenarioContext } from "./scenario.ts";
import type { WebhookBehaviour } from "./webhook-receiver.ts";

/** Object reference of the API for `db`, `db/http` or `process:shop`. */
function objectOf(ref: string, { fullName }: Pick<ScenarioContext, "fullName">): object {
  if (ref.startsWith("process:")) return { process: { name: fullName(ref.slice("process:".length)) } };
  const [host = "", service] = ref.split("/");
  return service === undefined
    ? { host: { name: fullName(host) } }
    : { service: { host: fullName(host), name: service } };
}

const targetOf = (ref: string, context: ScenarioContext): object => ({ object: objectOf(ref, context) });
const author = "carl";

export type ResultStatus = "ok" | "warning" | "critical" | "unknown" | "unreachable";

/** Submits passive results, one after the other. */
export const submit =
  (ref: string, ...statuses: readonly ResultStatus[]): ScenarioAction =>
  async (context) => {
    for (const status of statuses) {
      const request = { object: objectOf(ref, context), status: `STATUS_${status.toUpperCase()}`, output: status };
      await context.send("ProcessCheckResult", request);
    }
  };

type AcknowledgeOptions = {
  readonly sticky?: boolean;
  readonly notify?: boolean;
  readonly forS?: number;
  readonly comment?: string;
};
export const acknowledge =
  (ref: string, { forS, comment = "on it", ...more }: AcknowledgeOptions = {}): ScenarioAction =>
  async (context) => {
    const expiry = forS === undefined ? {} : { expiresAt: inSeconds(forS) };
    await context.send("AcknowledgeProblem", { target: targetOf(ref, context), author, comment, ...more, ...expiry });
  };

export const removeAcknowledgement =
  (ref: string): ScenarioAction =>
  async (context) => {
    await context.send("RemoveAcknowledgement", { target: targetOf(ref, context), author });
  };

const inSeconds = (s: number): string => new Date(Date.now() + s * 1_000).toISOString();

type DowntimeOptions = {
  /** Start of the downtime, s from the action on. Default: 0. */
  readonly inS?: number;
  readonly forS: number;
  /** Makes it flexible, with this duration in s from the first problem on. */
  readonly flexibleS?: number;
  /** Makes it triggered by the downtime whose id was saved under this name. */
  readonly triggeredBy?: string;
  /** Name under which its id is saved. Default: `downtime`. */
  readonly saveAs?: string;
  readonly includeServices?: boolean;
  readonly comment?: string;
};
export const downtime =
  (
    ref: string,
    { inS = 0, forS, flexibleS, triggeredBy, saveAs = "downtime", ...more }: DowntimeOptions,
  ): ScenarioAction =>
  async (context) => {
    const shape =
      flexibleS !== undefined
        ? { flexible: { duration: `${flexibleS}s` } }
        : triggeredBy !== undefined
          ? { triggered: { triggeredBy: context.savedIds.get(triggeredBy) } }
          : {};
    const span = { start: inSeconds(inS), end: inSeconds(inS + forS) };
    const request = { target: targetOf(ref, context), author, comment: "upgrade", ...span, ...shape, ...more };
    const { downtimeIds } = await context.send("ScheduleDowntime", request);
    context.savedIds.set(saveAs, String((downtimeIds as readonly string[])[0]));
  };

export const cancelDowntime =
  (savedAs = "downtime"): ScenarioAction =>
  async (context) => {
    await context.send("DeleteDowntime", { downtimeId: context.savedIds.get(savedAs), author });
  };

export const sendCustom =
  (ref: string, comment: string): ScenarioAction =>
  async (context) => {
    await context.send("SendCustomNotification", { target: targetOf(ref, context), author, comment });
  };

export const switchContact =
  (contact: string, enabled: boolean): ScenarioAction =>
  async (context) => {
    await context.send("SetContactNotifications", { contact: context.fullName(contact), enabled, author });
  };

export const switchObject =
  (ref: string, enabled: boolean): ScenarioAction =>
  async (context) => {
    await context.send("SetObjectNotifications", { target: targetOf(ref, context), enabled, author });
  };

/** Sets how the receiver responds to a contact's messages from now on. */
export const setWebhookBehaviour =
  (contact: string, behaviour: WebhookBehaviour): ScenarioAction =>
  (context) =>
    context.receiver.setBehaviour(context.fullName(contact), behaviour);

/** Waits until a contact's webhook has been called so many times, with any response. */
export const waitForAttempts =
  (contact: string, times = 1): ScenarioAction =>
  async ({ receiver, fullName }) => {
    await until(`the webhook of ${contact} is called`, () => receiver.attempts(fullName(contact)) >= times);
  };

/** Schedules a check of an object now. */
export const scheduleCheck =
  (ref: string): ScenarioAction =>
  async (context) => {
    await context.send("ScheduleCheck", { target: targetOf(ref, context) });
  };
