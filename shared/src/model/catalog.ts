import type { Labels } from "./row.ts";
import type { ProgramToggles } from "./toggles.ts";

export type ContactView = {
  readonly name: string;
  readonly type: string;
  readonly labels: Labels;
  readonly notificationPeriod: string;
  readonly notificationsEnabled: boolean;
};
export type SavedView = { readonly name: string; readonly selector: string; readonly description: string };
export type SinkView = {
  readonly name: string;
  readonly type: string;
  readonly input: "metrics" | "events";
  readonly selector: string;
};
export type PanelView = {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly selector: string;
};
export type SloView = {
  readonly name: string;
  readonly selector: string;
  readonly target: number;
  readonly period: string;
};

/** Configuration of a realm beside its objects, without secrets: no URL, header, address, key or command line. */
export type Catalog = {
  /** Empty on an agent. */
  readonly realm: string;
  readonly contacts: readonly ContactView[];
  readonly views: readonly SavedView[];
  readonly sinks: readonly SinkView[];
  readonly panels: readonly PanelView[];
  readonly slos: readonly SloView[];
  readonly toggles: ProgramToggles;
};
