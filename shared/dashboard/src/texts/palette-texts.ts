/** Texts of the command palette. */
export const paletteTexts = {
  findAnObjectAPage: "Find an object, a page or an action",
  find: "Find",
  found: "Found",
  searching: "Searching…",
  nothingHasThisName: "Nothing has this name",
  theLinkToThisPage: "The link to this page is copied",
  copyTheAddress: (href: string) => `Copy the address: ${href}`,
  copyTheLinkToThis: "Copy the link to this page",
  showThisPageAsA: "Show this page as a wall",
  timesInUtc: "Times in UTC",
  timesInThisBrowsersZone: "Times in this browser's zone",
  turnTheSoundForNew: "Turn the sound for new critical problems on or off",
  keyboardShortcutsAndSettings: "Keyboard shortcuts and settings",
} as const;
