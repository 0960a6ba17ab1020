import { objectToggles } from "@realmwatch/shared/commands/set-object-toggle";
import { programToggles } from "@realmwatch/shared/commands/set-program-toggle";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { nearestName } from "@realmwatch/shared/text/nearest-name";
import { cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";
import { doneOutput, selectorFlag, sendToTarget } from "./target-command.ts";

/** Name of the switch with an API call of its own. */
const notifications = "notifications";

/** Wire values of switches by their names on the command line: `active-checks`. */
const switchesOf = <T>(toggles: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(
    Object.entries(toggles).map(([name, wire]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      wire,
    ]),
  );

const programSwitches = switchesOf(programToggles);
const objectSwitches = switchesOf(objectToggles);

/** Reads `on` or `off`; fails with a sentence. */
export function readSwitch(text: string): Result<boolean, string> {
  if (text === "on" || text === "off") return ok(text === "on");
  return fail(`${JSON.stringify(text)} is neither on nor off`);
}

/** Wire value of a switch; undefined for `notifications`. */
function readToggle<T>(switches: Readonly<Record<string, T>>, name: string): Result<T | undefined, string> {
  if (name === notifications) return ok(undefined);
  if (Object.hasOwn(switches, name)) return ok(switches[name]);
  const nearest = nearestName(name, [notifications, ...Object.keys(switches)]);
  return fail(`there is no switch ${JSON.stringify(name)}; did you mean ${nearest}?`);
}

const namesOf = (switches: object): string => [notifications, ...Object.keys(switches)].join(", ");

export const toggleProgramCliCommand = cliCommand({
  path: "toggle program",
  args: ["SWITCH", "ON|OFF"],
  summary: `Enable or disable a feature of the whole realm: ${namesOf(programSwitches)}.`,
  flags: {},
  async run({ args: [name = "", state = ""], context }) {
    const toggle = readToggle(programSwitches, name);
    if (!toggle.ok) return wrongUsage(toggle.error);
    const enabled = readSwitch(state);
    if (!enabled.ok) return wrongUsage(enabled.error);
    const answer =
      toggle.value === undefined
        ? await context.server.command("setProgramNotifications", { enabled: enabled.value })
        : await context.server.command("setProgramToggle", { toggle: toggle.value, enabled: enabled.value });
    return answer.ok ? ok(doneOutput(`${name} of the realm: ${state}`)) : answer;
  },
});

export const toggleObjectCliCommand = cliCommand({
  path: "toggle object",
  args: ["SWITCH", "ON|OFF", "[TARGET]"],
  summary: `Enable or disable a feature of objects: ${namesOf(objectSwitches)}.`,
  flags: { selector: selectorFlag },
  async run({ args: [name = "", state = "", word], flags, context }) {
    const toggle = readToggle(objectSwitches, name);
    if (!toggle.ok) return wrongUsage(toggle.error);
    const enabled = readSwitch(state);
    if (!enabled.ok) return wrongUsage(enabled.error);
    const on = { word, selector: flags.selector, context };
    const done = (target: string): string => `${name} of ${target}: ${state}`;
    return toggle.value === undefined
      ? sendToTarget("setObjectNotifications", on, { enabled: enabled.value }, done)
      : sendToTarget("setObjectToggle", on, { enabled: enabled.value, toggle: toggle.value }, done);
  },
});
