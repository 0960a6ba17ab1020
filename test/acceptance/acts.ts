import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Manner } from "./receiver.ts";
import type { Act, Stage } from "./scenario.ts";

/** `db`, `db/http` or `process:shop`, as the API names it. */
export function objectOf(ref: string, { full }: Pick<Stage, "full">): object {
  if (ref.startsWith("process:")) return { process: { name: full(ref.slice("process:".length)) } };
  const [host = "", service] = ref.split("/");
  return service === undefined ? { host: { name: full(host) } } : { service: { host: full(host), name: service } };
}

const targetOf = (ref: string, stage: Stage): object => ({ object: objectOf(ref, stage) });
const author = "carl";

export type ResultStatus = "ok" | "warning" | "critical" | "unknown" | "unreachable";

/** Passive results, one after the other. */
export const submit =
  (ref: string, ...statuses: readonly ResultStatus[]): Act =>
  async (stage) => {
    for (const status of statuses) {
      const request = { object: objectOf(ref, stage), status: `STATUS_${status.toUpperCase()}`, output: status };
      await stage.send("ProcessCheckResult", request);
    }
  };

type AckMore = {
  readonly sticky?: boolean;
  readonly notify?: boolean;
  readonly forS?: number;
  readonly comment?: string;
};
export const acknowledge =
  (ref: string, { forS, comment = "on it", ...more }: AckMore = {}): Act =>
  async (stage) => {
    const expiry = forS === undefined ? {} : { expiresAt: inSeconds(forS) };
    await stage.send("AcknowledgeProblem", { target: targetOf(ref, stage), author, comment, ...more, ...expiry });
  };

export const removeAcknowledgement =
  (ref: string): Act =>
  async (stage) => {
    await stage.send("RemoveAcknowledgement", { target: targetOf(ref, stage), author });
  };

const inSeconds = (s: number): string => new Date(Date.now() + s * 1_000).toISOString();

type DowntimeMore = {
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
  (ref: string, { inS = 0, forS, flexibleS, triggeredBy, note = "downtime", ...more }: DowntimeMore): Act =>
  async (stage) => {
    const shape =
      flexibleS !== undefined
        ? { flexible: { duration: `${flexibleS}s` } }
        : triggeredBy !== undefined
          ? { triggered: { triggeredBy: stage.noted.get(triggeredBy) } }
          : {};
    const span = { start: inSeconds(inS), end: inSeconds(inS + forS) };
    const request = { target: targetOf(ref, stage), author, comment: "upgrade", ...span, ...shape, ...more };
    const { downtimeIds } = await stage.send("ScheduleDowntime", request);
    stage.noted.set(note, String((downtimeIds as readonly string[])[0]));
  };

export const cancelDowntime =
  (note = "downtime"): Act =>
  async (stage) => {
    await stage.send("DeleteDowntime", { downtimeId: stage.noted.get(note), author });
  };

export const say =
  (ref: string, comment: string): Act =>
  async (stage) => {
    await stage.send("SendCustomNotification", { target: targetOf(ref, stage), author, comment });
  };

export const switchContact =
  (contact: string, enabled: boolean): Act =>
  async (stage) => {
    await stage.send("SetContactNotifications", { contact: stage.full(contact), enabled, author });
  };

export const switchObject =
  (ref: string, enabled: boolean): Act =>
  async (stage) => {
    await stage.send("SetObjectNotifications", { target: targetOf(ref, stage), enabled, author });
  };

/** How the receiver answers a contact's messages from now on. */
export const behave =
  (contact: string, manner: Manner): Act =>
  (stage) =>
    stage.receiver.behave(stage.full(contact), manner);

/** Waits until a contact was tried to be told so many times, however it answered. */
export const tried =
  (contact: string, times = 1): Act =>
  async ({ receiver, full }) => {
    await until(`${contact} was tried to be told`, () => receiver.attempts(full(contact)) >= times);
  };

/** Has an object checked now. */
export const check =
  (ref: string): Act =>
  async (stage) => {
    await stage.send("ScheduleCheck", { target: targetOf(ref, stage) });
  };
