import { createInbox, headers, type NatsConnection } from "nats";
import { type Clock, sleep } from "../../model/clock.ts";
import type { StreamPlan } from "../../wire/nats/nats-subjects.ts";

/** Time in which all streams that capture a subject answer a probe, those behind leaf nodes too, ms. */
const answersWithinMs = 700;
/** Stream that a probe expects. None has this name: each stream that captures the probe refuses it and says so. */
const expectedStream = "REALMWATCH_PROBE";

/** Stream that has refused a probe. */
type ProbeAnswer = { readonly stream: string; readonly domain: string };

/** Name and subjects of a stream. */
type CapturedSubjects = Pick<StreamPlan, "name" | "subjects">;

/**
 * Finds streams other than the planned ones that capture the same subjects: of this account, and of a JetStream behind a
 * leaf node, which answers publishers there in place of the centre's. Probes are stored by no stream. They need
 * permission to publish on the subjects, and reach a leaf node only as far as its login may subscribe to them: from the
 * centre those of realms without restriction, from an agent those between it and the centre.
 *
 * @param newInbox returns a subject for the answers, to which the connection may subscribe
 * @returns one sentence for each; empty when there is none
 */
export async function findForeignStreams(
  connection: NatsConnection,
  plans: readonly CapturedSubjects[],
  clock: Clock,
  newInbox: () => string = createInbox,
): Promise<readonly string[]> {
  const probes = plans.flatMap((plan) => plan.subjects.map((subject) => ({ plan, subject: probeSubject(subject) })));
  const found = await Promise.all(
    probes.map(async ({ plan, subject }) =>
      explain(plan, await askStreams(connection, { subject, reply: newInbox(), clock })),
    ),
  );
  return [...new Set(found.flat())];
}

/** Subject that a stream with the given subject captures, and that no agent uses if it can: `svc.v1.state._probe`. */
const probeSubject = (subject: string): string => subject.replace(/[*>]$/, "_probe");

async function askStreams(
  connection: NatsConnection,
  { subject, reply, clock }: { readonly subject: string; readonly reply: string; readonly clock: Clock },
): Promise<readonly ProbeAnswer[]> {
  const answers: ProbeAnswer[] = [];
  const subscription = connection.subscribe(reply, {
    callback(error, { data }) {
      const answer = error === null ? decodeAnswer(data) : undefined;
      if (answer !== undefined) answers.push(answer);
    },
  });
  const expected = headers();
  expected.set("Nats-Expected-Stream", expectedStream);
  connection.publish(subject, new Uint8Array(), { reply, headers: expected });
  await sleep(clock, answersWithinMs);
  subscription.unsubscribe();
  return answers;
}

/** Decodes a stream's answer; undefined for the notice that no stream captures the subject. */
function decodeAnswer(data: Uint8Array): ProbeAnswer | undefined {
  try {
    const { stream, domain = "" } = JSON.parse(Buffer.from(data).toString()) as Partial<ProbeAnswer>;
    return typeof stream === "string" ? { stream, domain } : undefined;
  } catch {
    return undefined;
  }
}

function explain({ name, subjects }: CapturedSubjects, answers: readonly ProbeAnswer[]): string[] {
  const others = answers.filter(({ stream }) => stream !== name);
  const own = answers.length - others.length;
  const where = subjects.join(" and ");
  return [
    ...others.map(
      ({ stream, domain }) =>
        `stream ${stream}${domain === "" ? "" : ` of domain ${domain}`} captures ${where} too: rows that it acknowledges do not reach ${name}; delete it, or take these subjects from it`,
    ),
    ...(own > 1
      ? [
          `${own} streams ${name} capture ${where}: a JetStream at a leaf node has one of its own; delete it there, so that rows reach the centre`,
        ]
      : []),
  ];
}
