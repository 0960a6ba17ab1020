import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { ReceiverBehaviour } from "./webhook-receiver.ts";
import type { ScenarioAction, ScenarioContext } from "./scenario.ts";

/** `db`, `db/http` or `process:shop`, as the API names it. */
export function objectOf(ref: string, { fullName }: Pick<ScenarioContext, "full">): object {
  if (ref.startsWith("process:")) return { process: { name: fullName(ref.slice("process:".length)) } };
  const [host = "", service] = ref.split("/");
  return service === undefined ? { host: { name: fullName(host) } } : { service: { host: fullName(host), name: service } };
}

const targetOf = (ref: string, stage: ScenarioContext): object => ({ object: objectOf(ref, stage) });
const author = "carl";

export type ResultStatus = "ok" | "warning" | "critical" | "unknown" | "unreachable";

/** Passive results, one after the other. */
export const submit =
  (ref: string, ...statuses: readonly ResultStatus[]): ScenarioAction =>
  async (stage) => {
    for (const status of statuses) {
      const request = { object: objectOf(ref, stage), status: `STATUS_${status.toUpperCase()}`, output: status };
      await stage.send("ProcessCheckResult", request);
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
  async (stage) => {
    const expiry = forS === undefined ? {} : { expiresAt: inSeconds(forS) };
    await stage.send("AcknowledgeProblem", { target: targetOf(ref, stage), author, comment, ...more, ...expiry });
  };

export const removeAcknowledgement =
  (ref: string): ScenarioAction =>
  async (stage) => {
    await stage.send("RemoveAcknowledgement", { target: targetOf(ref, stage), author });
  };

const inSeconds = (s: number): string => new Date(Date.now() + s * 1_000).toISOString();

type DowntimeOptions = {
  /** From the act on. */
  readonly inS?: number;
  readonly forS: number;
  /** Makes it flexible: so long from the first problem. */
  readonly flexibleS?: number;
  /** Makes it follow another one, by the name it was noted as. */
  readonly triggeredBy?: string;
  /** Under which name its id is noted. */
  readonly note?: string;
  readonly includeServices?: boolean;
  readonly comment?: string;
};
export const downtime =
  (ref: string, { inS = 0, forS, flexibleS, triggeredBy, note = "downtime", ...more }: DowntimeOptions): ScenarioAction =>
  async (stage) => {
    const shape =
      flexibleS !== undefined
        ? { flexible: { duration: `${flexibleS}s` } }
        : triggeredBy !== undefined
          ? { triggered: { triggeredBy: stage.savedIds.get(triggeredBy) } }
          : {};
    const span = { start: inSeconds(inS), end: inSeconds(inS + forS) };
    const request = { target: targetOf(ref, stage), author, comment: "upgrade", ...span, ...shape, ...more };
    const { downtimeIds } = await stage.send("ScheduleDowntime", request);
    stage.savedIds.set(note, String((downtimeIds as readonly string[])[0]));
  };

export const cancelDowntime =
  (note = "downtime"): ScenarioAction =>
  async (stage) => {
    await stage.send("DeleteDowntime", { downtimeId: stage.savedIds.get(note), author });
  };

export const sendCustom =
  (ref: string, comment: string): ScenarioAction =>
  async (stage) => {
    await stage.send("SendCustomNotification", { target: targetOf(ref, stage), author, comment });
  };

export const switchContact =
  (contact: string, enabled: boolean): ScenarioAction =>
  async (stage) => {
    await stage.send("SetContactNotifications", { contact: stage.fullName(contact), enabled, author });
  };

export const switchObject =
  (ref: string, enabled: boolean): ScenarioAction =>
  async (stage) => {
    await stage.send("SetObjectNotifications", { target: targetOf(ref, stage), enabled, author });
  };

/** How the receiver answers a contact's messages from now on. */
export const setReceiverBehaviour =
  (contact: string, manner: ReceiverBehaviour): ScenarioAction =>
  (stage) =>
    stage.receiver.setBehaviour(stage.fullName(contact), manner);

/** Waits until a contact was tried to be told so many times, however it answered. */
export const waitForAttempts =
  (contact: string, times = 1): ScenarioAction =>
  async ({ receiver, fullName }) => {
    await until(`${contact} was tried to be told`, () => receiver.attempts(fullName(contact)) >= times);
  };

/** Has an object checked now. */
export const scheduleCheck =
  (ref: string): ScenarioAction =>
  async (stage) => {
    await stage.send("ScheduleCheck", { target: targetOf(ref, stage) });
  };
