/** Texts of muted objects. */
export const muteTexts = {
  forgotten: "muted for more than 3 days",
} as const;
