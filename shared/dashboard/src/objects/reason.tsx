import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import { optionalMs } from "../api/status-item.ts";
import { endWord, reasonText } from "../status/reason-text.ts";
import { End } from "../time/time-text.tsx";
import type { ObjectKey } from "./object-key.ts";

/** Why somebody was, or was not, told, with the end of the reason where that is known. */
export function Reason({ because, object }: { because: Because; object: ObjectKey | undefined }) {
  const untilMs = optionalMs(because.until);
  return (
    <>
      {reasonText(because, object?.kind === "service" ? object.host : undefined)}
      {untilMs !== undefined && (
        <>
          , {endWord(because.reason)} <End atMs={untilMs} />
        </>
      )}
    </>
  );
}
