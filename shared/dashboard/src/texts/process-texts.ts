/** Texts of processes. */
export const processRuleTexts = {
  rule: "Rule",
  loading: "Loading…",
  theProcessIsItsChildren: (statusName: string, status: string) =>
    `The process is ${statusName}, its children as listed give ${status}: it may count soft states, or ignore children that are acknowledged or in downtime, or its result is about to change.`,
  notKnown: (ref: string) => `${ref}: not known`,
  andMore: (value: number) => `and ${value} more`,
  noObject: "no object",
  decides: "decides",
  processes: "Processes",
  withAProblem: (count: number, problems: number) => `${count}, ${problems} with a problem`,
  processesAreNotAvailable: "Processes are not available.",
  noProcessesAreConfigured: "No processes are configured",
  aProcessHasAStatus:
    "A process has a status that a rule computes from other objects: “at least two of three web servers”.",
  allOf: "All of",
  anyOf: "Any of",
  allOfCriticalCountsAs: "All of, critical counts as warning",
  atLeastOf: (percent: number, neededOf: number, count: number) => `At least ${percent} % (${neededOf}) of ${count}`,
  allWith: (selector: string) => `All with ${selector}`,
} as const;
