import { allObjectTogglesOn, type ObjectToggles } from "../../model/toggles.ts";

/** Text of a toggle change in history records, such as `active_checks off`. */
export const toggleText = (toggle: string, enabled: boolean): string =>
  `${toggle.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} ${enabled ? "on" : "off"}`;

const toggles = Object.keys(allObjectTogglesOn) as (keyof ObjectToggles)[];

const changes = new Map(
  toggles.flatMap((toggle) =>
    [true, false].map((enabled) => [toggleText(toggle, enabled), { toggle, enabled }] as const),
  ),
);

/** Parses the text of `toggleText` for the toggles of objects; undefined for every other text. */
export const parseToggleText = (
  text: string,
): { readonly toggle: keyof ObjectToggles; readonly enabled: boolean } | undefined => changes.get(text);
