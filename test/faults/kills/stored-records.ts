import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import { call } from "../../run/call.ts";
import type { TestProgram } from "../../run/processes.ts";

type Headers = Readonly<Record<string, string>>;

export type HistoryRecordJson = {
  readonly id: string;
  readonly type: string;
  readonly object?: { readonly host?: { readonly name: string } };
  readonly status?: string;
  readonly stateType?: string;
  readonly output?: string;
  readonly comment?: string;
  readonly commentId?: string;
  readonly at: string;
  /** Set in a gap that is a time without the agent. */
  readonly stoppedAt?: string;
};

/** All history records, as ListHistory returns them; oldest first. */
export async function wholeHistory(
  { base }: Pick<TestProgram, "base">,
  headers: Headers,
): Promise<HistoryRecordJson[]> {
  const found: HistoryRecordJson[] = [];
  for (let pageToken = ""; ; ) {
    const answer = await call(base, "QueryService/ListHistory", { pageSize: 1_000, pageToken }, headers);
    if (!answer.ok) throw new Error(`ListHistory: ${answer.code} ${answer.message}`);
    found.push(...((answer.body["records"] ?? []) as HistoryRecordJson[]));
    pageToken = String(answer.body["nextPageToken"] ?? "");
    if (pageToken === "") return found.reverse();
  }
}

/** The newest 1000 audit records, as ListAuditRecords returns them. */
export async function newestAuditRecords(
  { base }: Pick<TestProgram, "base">,
  headers: Headers,
): Promise<{ requestId: string }[]> {
  const answer = await call(base, "AdminService/ListAuditRecords", { limit: 1_000 }, headers);
  if (!answer.ok) throw new Error(`ListAuditRecords: ${answer.code} ${answer.message}`);
  return (answer.body["records"] ?? []) as { requestId: string }[];
}

/** All audit records, read from the journal's file because ListAuditRecords returns 1000 at most; oldest first. */
export function storedAuditRecords({ dataDir }: Pick<TestProgram, "dataDir">): AuditRecord[] {
  const db = new DatabaseSync(join(dataDir, "journal.db"), { readOnly: true });
  try {
    return db
      .prepare("SELECT json FROM audit ORDER BY seq")
      .all()
      .map((row) => JSON.parse(String(row["json"])) as AuditRecord);
  } finally {
    db.close();
  }
}
