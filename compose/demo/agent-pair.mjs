import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../setup/ports.mjs";
import { callApi } from "./call-api.mjs";

/** Time until the active member is killed, ms. */
const killAfterMs = 60_000;

/**
 * Starts two agents of a realm as a pair. After a minute the active one is killed, and what happens then is printed; the
 * killed one is started again.
 *
 * @param startAgent starts an agent with the given name, port and further flags
 */
export function startAgentPair(programs, { realm, port, standby, token, folder, startAgent }) {
  const secret = join(folder, "pair-secret");
  writeFileSync(secret, randomBytes(32).toString("hex"), { mode: 0o600 });
  const members = [
    { name: `${realm}-a`, port, peer: standby },
    { name: `${realm}-b`, port: standby, peer: port },
  ];
  const startMember = ({ name, port: own, peer }) =>
    startAgent({
      ...{ name, port: own },
      more: {
        ...{ pair: name, "pair-peer": `http://127.0.0.1:${peer}`, "pair-secret-file": secret },
        "pair-lease": "5s",
      },
    });
  const running = members.map((member) => ({ ...member, process: startMember(member) }));
  void showTakeover({ programs, running, startMember, token });
}

async function showTakeover({ programs, running, startMember, token }) {
  const say = (text) => console.log(`pair       ${text}`);
  await sleep(killAfterMs, undefined, { ref: false });
  const states = await Promise.all(running.map(({ port }) => stateOf(port, token)));
  const [active, standby] = states[0]?.role === "PAIR_ROLE_ACTIVE" ? running : [...running].reverse();
  say(`${active.name}, the active agent, is killed now (kill -9).`);
  await programs.kill(active.process);
  const killedMs = Date.now();
  await until(
    "the other agent is active",
    async () => (await stateOf(standby.port, token))?.role === "PAIR_ROLE_ACTIVE",
    60_000,
  );
  say(`${standby.name} is active since ${((Date.now() - killedMs) / 1_000).toFixed(1)} s after that.`);
  startMember(active);
  await until("the pair is in sync again", async () => (await stateOf(standby.port, token))?.inSync === true, 60_000);
  say(
    `${active.name} was started again, and is a standby in sync. The same by hand: node_modules/.bin/realmwatch pair`,
  );
}

/** State of the pair as a member reports it; undefined while it does not answer. */
async function stateOf(port, token) {
  const answer = callApi(`http://127.0.0.1:${port}`, "PairService/Get", {}, { token, timeoutMs: 2_000 });
  return (await answer.catch(() => ({}))).pair;
}
