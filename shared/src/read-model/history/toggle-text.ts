import type { ObjectToggles } from "../../model/toggles.ts";

/** The words of history for a switch: `active_checks off`. */
export const toggleText = (toggle: string, enabled: boolean): string =>
  `${toggle.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} ${enabled ? "on" : "off"}`;

const toggles: readonly (keyof ObjectToggles)[] = [
  "notifications",
  "activeChecks",
  "passiveChecks",
  "eventHandler",
  "flapDetection",
];

const changes = new Map(
  toggles.flatMap((toggle) =>
    [true, false].map((enabled) => [toggleText(toggle, enabled), { toggle, enabled }] as const),
  ),
);

/** The reverse of `toggleText` for what an object has switches of; undefined for all other texts. */
export const parseToggleText = (
  text: string,
): { readonly toggle: keyof ObjectToggles; readonly enabled: boolean } | undefined => changes.get(text);
