import { type ProblemStatus, problemStatuses } from "../../model/status.ts";
import { picklist } from "./scalars.ts";
import { list } from "./structs.ts";

export const problemStatusNames = problemStatuses.map((status) => status.toUpperCase() as Uppercase<typeof status>);

/** Statuses by which problems are selected, in capital letters. */
export const problemStatusNamesList = list(picklist(problemStatusNames), { nonEmpty: true });

/** Statuses of a document, each once, as the plan has them. */
export const namedStatuses = (names: readonly Uppercase<ProblemStatus>[]): readonly ProblemStatus[] =>
  [...new Set(names)].map((status) => status.toLowerCase() as ProblemStatus);
