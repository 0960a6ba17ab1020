/** Toggles of one object. */
export type ObjectToggles = {
  readonly notifications: boolean;
  readonly activeChecks: boolean;
  readonly passiveChecks: boolean;
  readonly eventHandler: boolean;
  readonly flapDetection: boolean;
};
export type ObjectToggle = Exclude<keyof ObjectToggles, "notifications">;

/** Toggles of a whole realm. */
export type ProgramToggles = {
  readonly notifications: boolean;
  readonly activeChecks: boolean;
  readonly passiveChecks: boolean;
  readonly eventHandlers: boolean;
  readonly flapDetection: boolean;
};
export type ProgramToggle = Exclude<keyof ProgramToggles, "notifications">;

export const allObjectTogglesOn: ObjectToggles = {
  notifications: true,
  activeChecks: true,
  passiveChecks: true,
  eventHandler: true,
  flapDetection: true,
};

export const allProgramTogglesOn: ProgramToggles = {
  notifications: true,
  activeChecks: true,
  passiveChecks: true,
  eventHandlers: true,
  flapDetection: true,
};
