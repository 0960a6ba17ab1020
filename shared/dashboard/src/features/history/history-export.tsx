import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ListHistoryRequestSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { plural } from "@realmwatch/shared/view/plural";
import { useEffect, useRef, useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { downloadFile } from "../../components/controls/download-file.ts";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { formatNumber } from "../../components/time/format-number.ts";
import { type ExportFormat, exportFormats, exportHistory } from "./export-history.ts";

const recordsPerPage = 1_000;
const formats = Object.keys(exportFormats) as ExportFormat[];

/** Buttons that save all records of a query as a file, with the number of records that were read. */
export function HistoryExport({ request }: { request: MessageInitShape<typeof ListHistoryRequestSchema> }) {
  const { query, clock } = useAppContext();
  const [progress, setProgress] = useState("");
  const [error, setError] = useState<unknown>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function save(format: ExportFormat): Promise<void> {
    running.current?.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    setError(null);
    setProgress("Reading…");
    try {
      const { parts, count, missing } = await exportHistory(
        format,
        (pageToken) => query.listHistory({ ...request, pageSize: recordsPerPage, pageToken }, { signal }),
        (read) => setProgress(`${formatNumber(read)} ${plural(read, "record")} read…`),
      );
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      downloadFile(`history-${day}.${format}`, exportFormats[format].type, parts);
      const without = missing.length === 0 ? "" : `, without those of ${missing.join(", ")}`;
      setProgress(`${formatNumber(count)} ${plural(count, "record")} saved${without}`);
    } catch (failure) {
      if (signal.aborted) return;
      setError(failure);
      setProgress("");
    }
  }

  return (
    <div className="wrapped history-export">
      {formats.map((format) => (
        <ActionButton
          key={format}
          tone="small"
          title="Save all records that match, not only the loaded ones"
          onClick={() => void save(format)}
        >
          Export {exportFormats[format].label}
        </ActionButton>
      ))}
      <output className="muted">{progress}</output>
      {error !== null && <FailureText error={error} what="History was not exported." />}
    </div>
  );
}
