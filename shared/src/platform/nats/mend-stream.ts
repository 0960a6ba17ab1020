import { type JetStreamManager, RetentionPolicy, StorageType, type StreamConfig, type StreamInfo } from "nats";
import { maxMessageBytes, type StreamPlan } from "../../wire/nats/nats-subjects.ts";
import { errorText } from "../error-text.ts";
import { discardPolicy, msInNs } from "./create-stream.ts";
import { derivedStreamDescription, parseStreamIdentity } from "./stream-identity.ts";

/** Change of a stream's setting that loses no message that is still needed. */
type Mending = { readonly what: string; readonly patch: Partial<StreamConfig> };

/** Result of a set-up of streams, as sentences. */
export type StreamSetup = {
  /** Changes that were made; empty when all streams were as they should be. */
  readonly changes: readonly string[];
  /** Errors that an operator has to correct. */
  readonly problems: readonly string[];
};

/** Changes settings of an existing stream that the plan needs. A size that an operator has set is kept. */
export async function mendStream(
  jsm: JetStreamManager,
  existing: Pick<StreamInfo, "config" | "created">,
  plan: StreamPlan,
): Promise<StreamSetup> {
  const changes: string[] = [];
  const problems = permanentProblems(existing.config, plan);
  for (const { what, patch } of [...mendingsOf(existing.config, plan), ...identityMendings(existing, plan)]) {
    try {
      await jsm.streams.update(plan.name, patch);
      changes.push(`stream ${plan.name}: ${what}`);
    } catch (error) {
      problems.push(`stream ${plan.name}: ${what} is needed and refused: ${errorText(error)}`);
    }
  }
  return { changes, problems };
}

function permanentProblems(config: StreamConfig, { name }: StreamPlan): string[] {
  const problems: string[] = [];
  if (config.retention !== RetentionPolicy.Limits) problems.push(`stream ${name} must have retention limits`);
  if (config.storage === StorageType.Memory)
    problems.push(`stream ${name} is in memory: a restart of the NATS server loses it`);
  if (config.sealed) problems.push(`stream ${name} is sealed: it accepts no messages`);
  return problems;
}

function mendingsOf(config: StreamConfig, plan: StreamPlan): Mending[] {
  const mendings: Mending[] = [];
  const add = (needed: boolean, what: string, patch: Partial<StreamConfig>): void => {
    if (needed) mendings.push({ what, patch });
  };
  const copied = (config.sources ?? []).length > 0 || config.mirror !== undefined;
  const missing = plan.subjects.filter((subject) => !config.subjects?.includes(subject));
  add(!copied && missing.length > 0, `accepts ${missing.join(", ")}`, { subjects: subjectsWith(config, plan) });
  add(config.discard !== discardPolicy(plan), `discard ${plan.discard}`, { discard: discardPolicy(plan) });
  const perSubject = plan.perSubject;
  add(config.max_msgs_per_subject !== perSubject, `max_msgs_per_subject ${perSubject}`, {
    max_msgs_per_subject: perSubject,
  });
  add(plan.maxAgeMs === 0 && config.max_age > 0, "no max_age", { max_age: 0 });
  add(plan.perSubject > 0 && config.max_msgs > 0, "no max_msgs", { max_msgs: -1 });
  const { max_msg_size: size } = config;
  if (plan.maxMessageBytes !== undefined)
    add(size !== plan.maxMessageBytes, `max_msg_size ${plan.maxMessageBytes}`, { max_msg_size: plan.maxMessageBytes });
  else add(size > 0 && size < maxMessageBytes, "no max_msg_size", { max_msg_size: -1 });
  add(config.no_ack === true, "acknowledges messages", { no_ack: false });
  const window = duplicateWindow(config, plan);
  add(config.duplicate_window < window, `duplicate_window ${window / 1e9}s`, { duplicate_window: window });
  return mendings;
}

/** An identity is only added: one that the stream has is kept as long as the stream exists. */
function identityMendings(
  { config, created }: Pick<StreamInfo, "config" | "created">,
  { identified = false }: StreamPlan,
): Mending[] {
  if (!identified) return [];
  const mendings: Mending[] = [];
  if (config.allow_direct) mendings.push({ what: "no direct reads", patch: { allow_direct: false } });
  if (parseStreamIdentity(config.description) === undefined)
    mendings.push({ what: "an identity", patch: { description: derivedStreamDescription(created) } });
  return mendings;
}

/** Subjects of the stream and those of the plan, without those that a planned one includes. */
function subjectsWith(config: StreamConfig, plan: StreamPlan): string[] {
  const included = (subject: string): boolean => plan.subjects.some((planned) => includes(planned, subject));
  return [...(config.subjects ?? []).filter((subject) => !included(subject)), ...plan.subjects];
}

/** True when each subject that matches `narrow` matches `wide`. */
function includes(wide: string, narrow: string): boolean {
  const [tokens, others] = [wide.split("."), narrow.split(".")];
  const rest = tokens.indexOf(">");
  if (rest < 0 && tokens.length !== others.length) return false;
  const compared = rest < 0 ? tokens : tokens.slice(0, rest);
  return compared.every((token, i) => (token === "*" && others[i] !== ">") || token === others[i]);
}

/** Window of the plan, ns; never above the stream's `max_age`, which NATS refuses. */
function duplicateWindow({ max_age }: StreamConfig, { duplicateWindowMs }: StreamPlan): number {
  const wanted = duplicateWindowMs * msInNs;
  return max_age > 0 ? Math.min(wanted, max_age) : wanted;
}
