import type { Status } from "@realmwatch/shared/model/status";

/** Colours of statuses, readable on white and as a background of white text. */
export const statusColours: Readonly<Record<Status, string>> = {
  ok: "#1b7f3b",
  warning: "#9a6700",
  critical: "#c62828",
  unknown: "#6a3fb5",
  pending: "#57606a",
  unreachable: "#8a4b08",
};
