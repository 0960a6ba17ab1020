import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { HistoryAnswer, HistoryQuery } from "../read-model.ts";

/** Answers history queries: SQLite on an agent, memory or Redis on an aggregator. */
export type HistorySource = { history(query: HistoryQuery): Promise<Result<HistoryAnswer, Refusal>> };
