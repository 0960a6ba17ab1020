const objectsText = (count: number): string => `${count} ${count === 1 ? "object" : "objects"}`;

/** Texts of the forms that send commands, and of their results. */
export const commandTexts = {
  notAccepted: (failed: number, total: number) => `${failed} of ${total} not accepted`,
  failedObjects: (count: number) => objectsText(count),
  enterToken: "Enter a token",
  accepted: (label: string, objects: string, realms: string) =>
    `Accepted: ${label} for ${objects}${realms === "" ? "" : ` (${realms})`}`,
  notAcceptedFor: (label: string, count: number) => `Not accepted: ${label} for ${count} objects`,
  unknownFor: (label: string, count: number) => `Outcome unknown: ${label} for ${count} objects`,
  unknownOutcome: (unknown: number, total: number) => `the outcome of ${unknown} of ${total} is unknown`,
  sendingFor: (label: string, count: number) => `Sending: ${label} for ${count} objects`,
  failedIn: (realm: string, names: string, code: string, message: string) =>
    `${realm === "" ? "" : `${realm}: `}${names}: ${code}: ${message}`,
  goesOnWhenClosed: "The command goes on when this dialog or the page is closed.",
  bulkCommands: "Commands for many objects",
  resultsByRealm: "Results by realm",
  waitingForTheAnswer: "Waiting for the answer",
  waitingFor: (realms: string) => `Waiting for ${realms}`,
  ofRealms: (waiting: number, total: number) => `${waiting} of ${total} realms`,
  elapsed: (timeSpan: string) => `, ${timeSpan}`,
  visibleOf: (visible: number, total: number) => `${visible} of ${total} visible so far`,
  acceptedVisible: (accepted: number, visible: number) => `${accepted} accepted, ${visible} visible so far`,
  acceptedAllVisible: (accepted: number) => `${accepted} accepted, all visible`,
  acceptedNotYetVisible: (accepted: number, left: number) => `${accepted} accepted, ${left} of them not yet visible`,
  acceptedNeverVisible: (accepted: number, left: number, timeSpan: string) =>
    `${accepted} accepted, ${left} of them not visible after ${timeSpan}`,
  realmWaits: (count: number, visible: number) => `${objectsText(count)}, no answer yet, ${visible} visible`,
  realmAccepted: (count: number, visible: number) => `${count} accepted, ${visible} visible`,
  realmVisible: (visible: number) => `${visible} visible`,
  realmFailed: (count: number) => `${objectsText(count)}: `,
  closeThisResult: "Close this result",
  perRealm: (realm: string, count: number) => `${realm}: ${count}`,
} as const;
