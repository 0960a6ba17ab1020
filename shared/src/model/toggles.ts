export const allObjectTogglesOn = {
  notifications: true,
  activeChecks: true,
  passiveChecks: true,
  eventHandler: true,
  flapDetection: true,
};

/** Toggles of one object. */
export type ObjectToggles = Readonly<Record<keyof typeof allObjectTogglesOn, boolean>>;
export type ObjectToggle = Exclude<keyof ObjectToggles, "notifications">;

export const allProgramTogglesOn = {
  notifications: true,
  activeChecks: true,
  passiveChecks: true,
  eventHandlers: true,
  flapDetection: true,
};

/** Toggles of a whole realm. */
export type ProgramToggles = Readonly<Record<keyof typeof allProgramTogglesOn, boolean>>;
export type ProgramToggle = Exclude<keyof ProgramToggles, "notifications">;
