/** Texts of connections and commands. */
export const connectionTexts = {
  waitingForTheServer: "Waiting for the server",
  thisServerIsReadOnly: "This server is read-only",
  needsOperatorIs: (name: string, role: string) => `Needs operator: ${name} is ${role}`,
  realmIsUnreachable: (realm: string) => `Realm ${realm} is unreachable`,
  ofObjectsAreLeftOut: (count: number, count2: number) => `${count} of ${count2} objects are left out`,
  noProblemIsSelectedThere: "No problem is selected: there is nothing to acknowledge",
  checkNow: "check now",
  removalOfTheAcknowledgement: "removal of the acknowledgement",
  deletionOfTheDowntime: "deletion of the downtime",
  deletionOfTheComment: "deletion of the comment",
  ofObjects: (accepted: number, count: number) => `${accepted} of ${count} objects`,
  acceptedFor: (label: string, objectCountText: string) => `Accepted: ${label} for ${objectCountText}`,
  forFailed: (label: string, objectName: string, code: string, message: string) =>
    `${label} for ${objectName} failed: ${code}: ${message}`,
  thisServerHasNoIdentities:
    "This server has no identities. Started with -auth-config, it lets administrators see and change this.",
  administrationIsNotServed: "This server is read-only, and its administration is not served.",
  needsTheRoleAdminIs: (name: string, role: string) => `Needs the role admin: ${name} is ${role}.`,
  signInThenTryAgain: "Sign in, then try again.",
  yourRoleDoesNotPermit: "Your role does not permit this.",
  nothingWasQueuedTryAgain: "Nothing was queued. Try again when the server is reachable.",
  theOutcomeIsUnknownCheck: "The outcome is unknown: check the object before you try again.",
  theServerIsBusyTry: "The server is busy. Try again in a moment.",
  theObjectMayHaveBeen: "The object may have been removed.",
  thisServerDoesNotSupport: "This server does not support the call.",
} as const;
