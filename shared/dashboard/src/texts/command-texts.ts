/** Texts of the forms that send commands, and of their results. */
export const commandTexts = {
  notAccepted: (failed: number, total: number) => `${failed} of ${total} not accepted`,
  failedObjects: (count: number) => `${count} ${count === 1 ? "object" : "objects"}`,
  enterToken: "Enter a token",
  accepted: (label: string, objects: string, realms: string) =>
    `Accepted: ${label} for ${objects}${realms === "" ? "" : ` (${realms})`}`,
  perRealm: (realm: string, count: number) => `${realm}: ${count}`,
} as const;
