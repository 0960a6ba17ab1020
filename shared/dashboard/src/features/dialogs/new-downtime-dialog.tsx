import { useQuery } from "@connectrpc/connect-query";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { type KeyboardEvent, useMemo, useState } from "react";
import { statusItemsOf } from "../../api/status/status-item.ts";
import { TextField } from "../../components/controls/form-fields.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { DowntimeDialog } from "./downtime-dialog.tsx";

/** Form to schedule downtimes for the objects that a selector matches. */
export function NewDowntimeDialog() {
  const [text, setText] = useState("");
  const [selector, setSelector] = useState("");
  const { data, error, isFetching } = useQuery(
    QueryService.method.listStatus,
    { selector, omitRealms: true, sort: "name" },
    { enabled: selector !== "" },
  );
  const targets = useMemo(() => statusItemsOf(selector === "" ? [] : (data?.rows ?? [])), [data, selector]);
  const choose = (): void => setSelector(text.trim());
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose();
  };
  const isEmpty = selector !== "" && data !== undefined && !isFetching && targets.length === 0;
  return (
    <DowntimeDialog targets={targets}>
      <TextField
        label="Objects"
        hint="A selector such as rack=r7 or @host=web1. Enter finds the objects."
        spellCheck={false}
        value={text}
        onChange={setText}
        onBlur={choose}
        onKeyDown={onKeyDown}
      />
      {error !== null && <FailureText error={error} what="The objects cannot be selected." />}
      {isEmpty && <p role="status">No object matches</p>}
    </DowntimeDialog>
  );
}
