import {
  ObjectToggle as WireObjectToggle,
  ProgramToggle as WireProgramToggle,
} from "@realmwatch/proto/svc/v1/command_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { nearestName } from "@realmwatch/shared/text/nearest-name";
import { cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";
import { readTarget } from "../parse/read-target.ts";
import { doneOutput, formatTarget, selectorFlag } from "./target-command.ts";

/** Name of the switch with an API call of its own. */
const notifications = "notifications";

const programToggles: Readonly<Record<string, WireProgramToggle>> = {
  "active-checks": WireProgramToggle.ACTIVE_CHECKS,
  "passive-checks": WireProgramToggle.PASSIVE_CHECKS,
  "event-handlers": WireProgramToggle.EVENT_HANDLERS,
  "flap-detection": WireProgramToggle.FLAP_DETECTION,
};
const objectToggles: Readonly<Record<string, WireObjectToggle>> = {
  "active-checks": WireObjectToggle.ACTIVE_CHECKS,
  "passive-checks": WireObjectToggle.PASSIVE_CHECKS,
  "event-handler": WireObjectToggle.EVENT_HANDLER,
  "flap-detection": WireObjectToggle.FLAP_DETECTION,
};

function readSwitch(text: string): Result<boolean, string> {
  if (text === "on" || text === "off") return ok(text === "on");
  return fail(`${JSON.stringify(text)} is neither on nor off`);
}

/** Wire value of a switch; undefined for `notifications`. */
function readToggle<T>(toggles: Readonly<Record<string, T>>, name: string): Result<T | undefined, string> {
  if (name === notifications) return ok(undefined);
  if (Object.hasOwn(toggles, name)) return ok(toggles[name]);
  const nearest = nearestName(name, [notifications, ...Object.keys(toggles)]);
  return fail(`there is no switch ${JSON.stringify(name)}; did you mean ${nearest}?`);
}

const namesOf = (toggles: object): string => [notifications, ...Object.keys(toggles)].join(", ");

export const toggleProgramCliCommand = cliCommand({
  path: "toggle program",
  args: ["SWITCH", "ON|OFF"],
  summary: `Enable or disable a feature of the whole realm: ${namesOf(programToggles)}.`,
  flags: {},
  async run({ args: [name = "", state = ""], context }) {
    const toggle = readToggle(programToggles, name);
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
  summary: `Enable or disable a feature of objects: ${namesOf(objectToggles)}.`,
  flags: { selector: selectorFlag },
  async run({ args: [name = "", state = "", word], flags, context }) {
    const toggle = readToggle(objectToggles, name);
    if (!toggle.ok) return wrongUsage(toggle.error);
    const enabled = readSwitch(state);
    if (!enabled.ok) return wrongUsage(enabled.error);
    const target = readTarget(word, flags.selector);
    if (!target.ok) return wrongUsage(target.error);
    const request = { target: target.value, enabled: enabled.value };
    const answer =
      toggle.value === undefined
        ? await context.server.command("setObjectNotifications", request)
        : await context.server.command("setObjectToggle", { ...request, toggle: toggle.value });
    return answer.ok ? ok(doneOutput(`${name} of ${formatTarget(target.value)}: ${state}`)) : answer;
  },
});

export const toggleContactCliCommand = cliCommand({
  path: "toggle contact",
  args: ["CONTACT", "ON|OFF"],
  summary: "Enable or disable the notifications of one contact.",
  flags: {},
  async run({ args: [contact = "", state = ""], context }) {
    const enabled = readSwitch(state);
    if (!enabled.ok) return wrongUsage(enabled.error);
    const answer = await context.server.command("setContactNotifications", { contact, enabled: enabled.value });
    return answer.ok ? ok(doneOutput(`notifications of ${contact}: ${state}`)) : answer;
  },
});
