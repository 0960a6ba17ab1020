import type { Pair } from "@realmwatch/proto/svc/v1/pair_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { type CliContext, cliCommand, confirmed } from "../../cli-command.ts";
import type { ServerClient } from "../../connection/server-client.ts";
import { type CliFailure, commandFailed, wrongUsage } from "../../output/cli-failure.ts";
import type { CliOutput } from "../../output/cli-output.ts";
import { formatPair, pairJson } from "./format-pair.ts";

export const pairCliCommand = cliCommand({
  path: "pair",
  args: [],
  summary:
    "Show the pair of agents that serves the realm: who is active, whether the standby is in sync, and the lease.",
  flags: {},
  async run({ context: { server } }) {
    const info = await server.info();
    if (!info.ok) return info;
    if (info.value.aggregator === true) return pairsOfRealms(server);
    const answer = await server.pair("get", {});
    return answer.ok ? pairOutput(answer.value.pair) : fail(unpairedFailure(answer.error, server));
  },
});

/** Pairs of the realms of an aggregator, as their active members said last. */
async function pairsOfRealms(server: ServerClient): Promise<Result<CliOutput, CliFailure>> {
  const status = await server.query("listStatus", { pageSize: 1, realm: server.realm });
  if (!status.ok) return status;
  const pairs = status.value.realms.flatMap(({ name, pair }) =>
    pair === undefined || (server.realm !== "" && name !== server.realm) ? [] : [{ name, pair }],
  );
  if (pairs.length === 0) return commandFailed(`no pair of agents serves a realm of ${server.url}`);
  return ok({
    json: pairs.map(({ name, pair }) => ({ realm: name, ...pairJson(pair) })),
    text: (screen) => pairs.map(({ name, pair }) => `realm ${name}\n${formatPair(pair, screen)}`).join("\n\n"),
    ids: pairs.map(({ pair }) => pair.active),
  });
}

const unpairedFailure = ({ code, lines }: CliFailure, { url }: ServerClient): CliFailure => ({
  code,
  lines: lines.some((line) => line.includes("does not offer PairService"))
    ? [`realmwatch: the agent at ${url} is not a member of a pair: it runs without -pair`]
    : lines,
});

function pairOutput(pair: Pair | undefined): Result<CliOutput, CliFailure> {
  if (pair === undefined) return commandFailed("the answer has no pair");
  return ok({ json: pairJson(pair), text: (screen) => formatPair(pair, screen), ids: [pair.active] });
}

export const switchPairCliCommand = cliCommand({
  path: "pair switch",
  args: [],
  summary: "Hand the realm over to the standby, within 2 s. Either member may be asked.",
  flags: {},
  async run({ context }) {
    const member = await memberOf(context);
    if (!member.ok) return member;
    const answer = await member.value.pair("switch", {});
    return answer.ok ? pairOutput(answer.value.pair) : fail(unpairedFailure(answer.error, member.value));
  },
});

export const promotePairCliCommand = cliCommand({
  path: "pair promote",
  args: [],
  summary: "Make this member active by hand, where it does not become active by itself.",
  flags: {
    force: { help: "Required: what the other member alone has may be lost." },
    yes: { help: "Promote without confirmation." },
  },
  async run({ flags: { force, yes }, context }) {
    if (!force) return wrongUsage("pair promote needs -force: what the other member alone has may be lost");
    const member = await memberOf(context);
    if (!member.ok) return member;
    const known = await member.value.pair("get", {});
    if (!known.ok) return fail(unpairedFailure(known.error, member.value));
    const question = promotionQuestion(known.value.pair);
    const allowed = yes ? ok(undefined) : await confirmed(context, question, "nothing was done");
    if (!allowed.ok) return allowed;
    const answer = await member.value.pair("promote", { force });
    return answer.ok ? pairOutput(answer.value.pair) : answer;
  },
});

/** PairService is a member's own: an aggregator does not forward to it. */
async function memberOf({ server }: CliContext): Promise<Result<ServerClient, CliFailure>> {
  const info = await server.info();
  if (!info.ok) return info;
  return info.value.aggregator === true
    ? wrongUsage(`${server.url} is an aggregator: name a member of the pair with -server`)
    : ok(server);
}

function promotionQuestion(pair: Pair | undefined): string {
  const lost =
    pair?.inSync === true
      ? "It was in sync with the other member when they last spoke."
      : "What the other member accepted since they were last in sync may be lost.";
  const other = "Make sure that the other member does not run, or both may notify.";
  return `Make ${pair?.self ?? "this member"} active? ${lost} ${other}`;
}
